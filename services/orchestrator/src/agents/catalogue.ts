import {
  type AgentDefinition,
  cutText,
  failedPrecondition,
  invalidArgument,
  notFound,
  quotedName,
  type RunDefinition,
} from '@stopgo/core';

/** An agent that conversations are opened for, as it is for runs that start now. */
export type CatalogueAgent = {
  readonly name: string;
  /** It is of another commit than the one that is synced. */
  readonly pinned?: true;
  /** Shown as the first message of a conversation; may be empty. */
  readonly systemPrompt: string;
  readonly definition: AgentDefinition;
  /**
   * What a run that starts now follows: this definition, the tools of servers as they are now, and the policy. All are on the record
   * by then.
   * Rejects with `unavailable` while no tools are known, and when the signal aborts.
   */
  forRun(signal: AbortSignal): Promise<RunDefinition>;
};

/** The agents that conversations may be opened for, by name. There is always one: what it gives may change with time. */
export type AgentCatalogue = {
  /** The agent of conversations that name none. */
  default(): Promise<CatalogueAgent>;
  /**
   * Undefined if there is none of exactly that name. `revision`: a commit, branch or tag at which it is taken; empty: as it is now.
   * Rejects with `invalid_argument` for a revision of an agent that has none, with `not_found` (reason=no_agent) where it is not there at
   * that revision, and with `unavailable` while that cannot be learnt.
   */
  find(name: string, revision?: string): Promise<CatalogueAgent | undefined>;
  /** The names of all, each once; of very many some. */
  list(): Promise<readonly string[]>;
  /** Where the others are listed, if those are only some: `those that GET /agents lists`. */
  readonly others?: string;
  /** The agent, if there can be no other. */
  only(): Promise<CatalogueAgent | undefined>;
};

/** Detail `reason` of errors about an agent that the catalogue does not have. */
export const noAgent = 'no_agent';

/** Names that one error lists. */
const namesMax = 20;
/** Bytes of each. */
const nameBytesMax = 100;

/**
 * The agent that a new conversation is opened for; an empty name stands for the default one. `revision` as of
 * {@link AgentCatalogue.find}.
 *
 * @throws DomainError `not_found` (reason=no_agent) for a name that the catalogue does not have.
 */
export async function agentNamed(agents: AgentCatalogue, name: string, revision = ''): Promise<CatalogueAgent> {
  if (name === '' && revision !== '') throw invalidArgument('a revision needs the name of the agent that it is of');
  const agent = name === '' ? await agents.default() : await agents.find(name, revision);
  if (agent !== undefined) return agent;
  throw notFound(`there is no agent ${shown(name)}; ${await listed(agents)}`, { reason: noAgent });
}

/**
 * The agent with which a conversation goes on that was opened for one of that name; undefined if it is not there any more. An only
 * agent takes them all: whoever gives it another name in the configuration goes on with the conversations that it had.
 */
export async function agentOfConversation(
  agents: AgentCatalogue,
  name: string,
  revision = '',
): Promise<CatalogueAgent | undefined> {
  return (await agents.find(name, revision)) ?? (await agents.only());
}

/** That a conversation was opened for an agent that is not there any more. */
export async function agentIsGone(agents: AgentCatalogue, conversationId: string, name: string): Promise<Error> {
  const what = `conversation ${conversationId} was opened for the agent ${shown(name)}, which is not there any more`;
  return failedPrecondition(`${what}; ${await listed(agents)}; open another conversation`, { reason: noAgent });
}

async function listed(agents: AgentCatalogue): Promise<string> {
  const names = await agents.list();
  const some = names.slice(0, namesMax).map(shown).join(', ');
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : '';
  const others = agents.others === undefined ? '' : `, and ${agents.others}`;
  return `there ${names.length === 1 ? 'is' : 'are'} ${some}${more}${others}`;
}

function shown(name: string): string {
  return quotedName(cutText(name, nameBytesMax).text);
}
