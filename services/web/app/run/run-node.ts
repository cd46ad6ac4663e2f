import type { Spent } from './spent.ts';

/** Where an agent, a step or a call stands. */
export type NodeState =
  | 'ready'
  | 'running'
  | 'waiting'
  | 'dependency'
  | 'paused'
  | 'doubt'
  | 'done'
  | 'failed'
  | 'rejected'
  | 'expired'
  | 'refused'
  | 'unknown'
  | 'canceled';

/** An agent of the platform, a step of an agent that is a tree, a call of a tool, or a call of an agent elsewhere. */
export type NodeKind = 'agent' | 'step' | 'tool' | 'remote';

/** One answer of a model. */
export type Answer = {
  readonly turn: number;
  readonly model: string;
  readonly text: string;
  readonly calls: number;
  readonly spent: Spent;
};

/** Somebody who is waited for. */
export type Wait = {
  readonly id: string;
  readonly kind: 'approval' | 'doubt' | 'answer' | 'token';
  readonly since: number;
};

/** An approval of a call, and what became of it: the decision of its event, in lower case. */
export type SeenApproval = {
  readonly id: string;
  readonly outcome: string;
  readonly by: string;
  /** A rule decided: nobody was asked. */
  readonly isByRule: boolean;
};

/** One box of the graph, one line of the table. Times are in milliseconds since 1970. */
export type RunNode = {
  readonly id: string;
  readonly parent?: string;
  readonly depth: number;
  readonly kind: NodeKind;
  readonly name: string;
  /** Of a step its type, such as `llm` or `parallel`; empty for calls. */
  readonly type: string;
  /** Of a call of a tool. */
  readonly server: string;
  /** The round of the loop in which a step is, from 1. */
  readonly round?: number;
  readonly state: NodeState;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** How long it has worked; of a call how long it ran. Absent: it has not begun. */
  readonly tookMs?: number;
  /** How long it has waited for people. */
  readonly waitedMs: number;
  readonly waits: readonly Wait[];
  readonly approvals: readonly SeenApproval[];
  /** How often a call was tried. */
  readonly attempts: number;
  readonly answers: readonly Answer[];
  /** What its own models used, and what it did with all below it. */
  readonly own: Spent;
  readonly spent: Spent;
  /** Its task, in words. */
  readonly asked?: string;
  /** The arguments of a call, as JSON. */
  readonly args?: string;
  readonly gave?: string;
  /** What an agent says of its task: success, partial, failed. */
  readonly completion?: string;
  /** Why the call was judged as it was. */
  readonly reason: string;
  /** What else is to be said of it: why it failed, what is in doubt, what was tried in vain. */
  readonly notes: readonly string[];
  readonly source?: { readonly repository: string; readonly path: string; readonly commit: string };
};

export type RunState = 'working' | 'waiting' | 'paused' | 'completed' | 'failed' | 'canceled';

/** Which run it is, and how it stands. */
export type RunOutline = {
  readonly id: string;
  /** Counts the runs of the conversation from 1. */
  readonly number: number;
  readonly message: string;
  readonly state: RunState;
};

/** A run as its events tell it. */
export type Run = RunOutline & {
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly spent: Spent;
  /** Each above those that it began, in the order in which they were asked for. */
  readonly nodes: readonly RunNode[];
};
