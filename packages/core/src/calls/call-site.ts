import type { CallingLimits } from '../agent/calling.ts';
import type { ToolNode, Toolset } from '../agent/definition.ts';
import type { Policy } from '../policy/policy.ts';

/** Where in a tree calls are made, and of what. */
export type CallSite = {
  readonly node: ToolNode;
  readonly insideParallelOrLoop: boolean;
  /** Of the agent whose tree it is. */
  readonly agentName: string;
  /** The agents that work one below another, from that of the run to the one whose tree it is. */
  readonly agents: readonly string[];
  /** Commit of the file that the agent whose tree it is comes from; empty: not from git. */
  readonly commit: string;
  /** What its calls are judged by beside the defaults, and its digest; absent: by nothing else. */
  readonly policy?: Policy;
  readonly policyDigest?: string;
  /** All that the node may call. */
  readonly offered: Toolset;
  /** Whom it may call of the agents of this platform; absent: nobody. */
  readonly calling?: Calling;
};

/** What holds for calls of agents of this platform. */
export type Calling = {
  /** Names, or patterns of names. */
  readonly allowed: readonly string[];
  readonly limits: CallingLimits;
};
