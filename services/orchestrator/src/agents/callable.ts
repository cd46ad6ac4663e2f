import type { AgentSource, ContextScope, RunDefinition } from '@stopgo/core';

/** An agent of this platform as it works on a call that is made now. All that the digests name is on the record by then. */
export type CalledDefinition = RunDefinition & {
  /** Its canonical name. */
  readonly name: string;
  /** What it is told of what was said before, unless its caller says otherwise. */
  readonly contextScope: ContextScope;
  /** Where its definition comes from; absent: not from a repository. */
  readonly source?: AgentSource;
  /** What it is told of the agents that it may call; absent: nothing. */
  readonly agentsTold?: string;
  /** Keys of its own memory whose values it is told with the scope `SPECIFIC`; absent: none. */
  readonly memoryKeys?: readonly string[];
  /** The same of session state, and of what the agents of the run share. */
  readonly stateKeys?: readonly string[];
};

/** The agents of this platform that others may call. */
export type CallableAgents = {
  /** Undefined if there is none of that name. Rejects with `unavailable` while that cannot be learnt, and when the signal aborts. */
  forCall(name: string, signal: AbortSignal): Promise<CalledDefinition | undefined>;
};

/** None at all. */
export const noAgents: CallableAgents = { forCall: async () => undefined };
