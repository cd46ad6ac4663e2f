import { nameCharactersMax } from './bounds.ts';

/** Where agents are looked up: one repository, at one commit. */
export type AgentSource<Found> = { readonly find: (name: string) => Found | undefined };

/** The repositories of a tenant. */
export type AgentSources<Found> = {
  /** Those without a namespace, in the order in which they are asked. */
  readonly roots: readonly AgentSource<Found>[];
  readonly namespaced: ReadonlyMap<string, AgentSource<Found>>;
};

/**
 * The agent that a name means: that of the first repository without a namespace that has it, else that of a repository whose namespace the
 * name begins with, the shortest namespace first. Undefined if there is none; agents elsewhere are the caller's to look for.
 */
export function resolveAgent<Found>(
  name: string,
  { roots, namespaced }: AgentSources<Found>,
): { readonly agent: Found; readonly isNamespaced: boolean } | undefined {
  // Models make names up, of any length.
  if (name.length > 2 * nameCharactersMax) return undefined;
  for (const root of roots) {
    const agent = root.find(name);
    if (agent !== undefined) return { agent, isNamespaced: false };
  }
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    const agent = namespaced.get(name.slice(0, slash))?.find(name.slice(slash + 1));
    if (agent !== undefined) return { agent, isNamespaced: true };
  }
  return undefined;
}

/** What is said where a name means nothing. */
export function agentNotFound(name: string): string {
  return `Agent "${name}" not found in any git repository or external registry`;
}
