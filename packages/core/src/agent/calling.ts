/** A file in a git repository, at one commit. */
export type AgentSource = {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  /** Somebody asked for this commit: another one was synced when the run began. */
  readonly pinned?: true;
};

/** What holds in a run for agents that call each other. */
export type CallingLimits = {
  /** Agents that may call one below another, the run's own counted as the first. */
  readonly depthMax: number;
  /** Calls of agents in the whole run. */
  readonly callsMax: number;
  /** An agent may call one that waits for it. */
  readonly circlesAllowed: boolean;
};

/** What a run is told of its agent, if that is one of those that call each other. */
export type CallingAgent = {
  readonly limits: CallingLimits;
  /** Where its definition comes from; absent: not from a repository. */
  readonly source?: AgentSource;
  /** What it is told of the agents that it may call; absent: nothing. */
  readonly agentsTold?: string;
};
