// Addresses of the pages about agents. A name of an agent may hold slashes, and is one part of the address.

export const agentsPlace = '/agents';
export const repositoriesPlace = '/agents/repositories';

/** Which part of an agent's page somebody looks at. */
export type AgentTab = 'about' | 'versions' | 'memory';

const tabs: readonly AgentTab[] = ['about', 'versions', 'memory'];

export type AskedFor = {
  readonly tab: AgentTab;
  /** The version that is shown; absent: the newest one. */
  readonly commit?: string;
  /** The two versions that are compared; `from` absent: the one before. */
  readonly from?: string;
  readonly to?: string;
};

/** What of an agent the address asks for. */
export function askedOf(query: string): AskedFor {
  const given = new URLSearchParams(query);
  const named = (name: string) => given.get(name) || undefined;
  return {
    tab: tabs.find((one) => one === given.get('show')) ?? 'about',
    commit: named('commit'),
    from: named('from'),
    to: named('to'),
  };
}

/** The address of an agent's page. */
export function agentPlace(name: string, { tab, ...more }: Partial<AskedFor> = {}): string {
  const given = new URLSearchParams();
  // Without it the address would be that of the repositories.
  if (name === 'repositories' || (tab !== undefined && tab !== 'about')) given.set('show', tab ?? 'about');
  for (const [key, value] of Object.entries(more)) if (value !== undefined) given.set(key, value);
  const query = given.toString();
  return `${agentsPlace}/${encodeURIComponent(name)}${query === '' ? '' : `?${query}`}`;
}

/** Whether an address below `/agents` is the one of the repositories, and not of an agent that is called so. */
export const isOfRepositories = (rest: readonly string[], query: string): boolean =>
  rest.length === 1 && rest[0] === 'repositories' && !new URLSearchParams(query).has('show');

/** Where a conversation with an agent begins, at a commit of it if one is named. */
export function beginPlace(name: string, commit?: string): string {
  const given = new URLSearchParams({ agent: name, ...(commit === undefined ? {} : { commit }) });
  return `/?${given}`;
}

/** The path of the API for an agent; the name is one part, so that none ends in the word of another route. */
export const apiOf = (name: string, below = '', query: Readonly<Record<string, string | undefined>> = {}): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `/agents/${encodeURIComponent(name)}${below}${search}`;
};
