import {
  type AgentDefinition,
  cutText,
  failedPrecondition,
  notFound,
  quotedName,
  type RunDefinition,
} from '@stopgo/core';

/** An agent that conversations are opened for, as it is for runs that start now. */
export type CatalogueAgent = {
  readonly name: string;
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
  /** Undefined if there is none of exactly that name. */
  find(name: string): Promise<CatalogueAgent | undefined>;
  /** The names of all, each once; of very many some. */
  list(): Promise<readonly string[]>;
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
 * The agent that a new conversation is opened for; an empty name stands for the default one.
 *
 * @throws DomainError `not_found` (reason=no_agent) for a name that the catalogue does not have.
 */
export async function agentNamed(agents: AgentCatalogue, name: string): Promise<CatalogueAgent> {
  const agent = name === '' ? await agents.default() : await agents.find(name);
  if (agent !== undefined) return agent;
  throw notFound(`there is no agent ${shown(name)}; ${await listed(agents)}`, { reason: noAgent });
}

/**
 * The agent with which a conversation goes on that was opened for one of that name; undefined if it is not there any more. An only
 * agent takes them all: whoever gives it another name in the configuration goes on with the conversations that it had.
 */
export async function agentOfConversation(agents: AgentCatalogue, name: string): Promise<CatalogueAgent | undefined> {
  return (await agents.find(name)) ?? (await agents.only());
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
  return `there ${names.length === 1 ? 'is' : 'are'} ${some}${more}`;
}

function shown(name: string): string {
  return quotedName(cutText(name, nameBytesMax).text);
}
