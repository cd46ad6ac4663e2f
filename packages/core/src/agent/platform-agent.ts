/**
 * What an agent from git is beside its tree: how others find it, whom it may call, what it is told, and when it has to stop. Plain
 * JSON, so that it can be recorded whole with the definition.
 */
export type PlatformAgent = {
  /** What people call it, and its prompt with `{{agent_name}}`; others call it by the name of its definition. */
  readonly title: string;
  /** What it is good for, told to those who may call it. */
  readonly description: string;
  /** As its file says; absent: it says none. The commit tells versions apart. */
  readonly version?: string;
  readonly tags: readonly string[];
  /** Tasks that it is good for, in a few words each. */
  readonly examples: readonly string[];
  /** Names of the agents that it may call, or patterns of them (see `matchesGlob`). */
  readonly allowedAgents: readonly string[];
  /** Names of the providers of models that are asked, in this order; empty: the usual one. */
  readonly providers: readonly string[];
  /** What its model is called at a provider, by the provider's name, where it is not called what its nodes say; absent: nowhere. */
  readonly models?: Readonly<Record<string, string>>;
  /** What it is told when another agent calls it, unless that one says otherwise. */
  readonly contextScope: ContextScope;
  /** What it is told besides with the scope `SPECIFIC`; absent: nothing. */
  readonly context?: NamedContext;
  /** Minutes after which it has failed, with all that it called; absent: it may take as long as it takes. */
  readonly executionMinutesMax?: number;
  /** It is done once it says so with `complete_agent_execution`; else also with an answer that calls nothing. */
  readonly completionRequired: boolean;
  /** Absent: only those of the run. */
  readonly limits?: AgentLimits;
};

/** `FULL`: what the agents above were told; `SPECIFIC`: the input, the run's first message and what is named; `NONE`: the input. */
export type ContextScope = 'FULL' | 'NONE' | 'SPECIFIC';

/** Keys of session state, and keys of memories, whose values an agent is told. */
export type NamedContext = { readonly state: readonly string[]; readonly memories: readonly string[] };

/** What a step of an agent may use with everything below it, before somebody is asked; absent: as much as it takes. */
export type AgentLimits = {
  readonly agentCallsMax?: number;
  readonly tokensMax?: number;
  /** In millionths of a US dollar. */
  readonly costMax?: number;
  /** `ask`: a person says whether it goes on; `end`: it ends. */
  readonly onLimit: 'ask' | 'end';
};
