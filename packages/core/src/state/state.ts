/**
 * The folded state of a conversation: bounded, plain JSON, so that it can be kept as a snapshot. Texts of messages and
 * results are not in it; it refers to them by revision.
 */

import type { AgentSource, CallingLimits } from '../agent/calling.ts';
import type { Digests } from '../agent/definitions.ts';
import type { ContextScope } from '../agent/platform-agent.ts';
import type { Decided } from '../events/decisions.ts';
import type { CallTarget } from '../events/target.ts';
import type { PolicyCaller } from '../policy/judge-policy.ts';
import type { LimitUse } from '../text/limit-words.ts';
import type { Completion } from './completion.ts';
import type { GivenLimits } from './given-limits.ts';
import type { AskedByServer, Interrupt } from './interrupt.ts';
import type { RunData } from './run-data.ts';
import type { StandingApproval } from './standing-approval.ts';
import type { TimeLimit } from './time-limit.ts';
import type { Spent } from './usage.ts';

/** Version of the fold. A snapshot of another version is never used; the events are folded anew. */
export const foldVersion = 15;

/** What a step or run came to: texts of recorded answers and results of recorded calls, by revision, and texts of its own. */
export type Output = readonly OutputPart[];
export type OutputPart = { readonly revision: number } | { readonly result: number } | { readonly text: string };

/** What becomes of a call, in the order of its life. */
export type CallPhase =
  /** May run now. */
  | 'ready'
  /** Waits for an approval. */
  | 'waiting'
  /** Waits for a bearer token. */
  | 'blocked'
  /** An agent of this platform works on it, in a part of the run of its own. */
  | 'called'
  /** Started on the record; its outcome is not known yet. */
  | 'started'
  /** Started, and the agent it was sent to waits for answers to its questions. */
  | 'asking'
  /** Its outcome is unknown; a human decides. */
  | 'in_doubt'
  | 'done';

/** How a call ended. */
export type CallOutcome = 'result' | 'error' | 'rejected' | 'refused' | 'given_up' | 'happened' | 'control';

export type CallState = {
  readonly id: string;
  readonly stepId: string;
  /** Name under which it was called. */
  readonly tool: string;
  /** Whom it goes to; absent if nothing was offered under that name, so that it was refused at once. */
  readonly target?: CallTarget;
  readonly pin: string;
  readonly digest: string;
  readonly repeatable: boolean;
  /** True if a human had to be asked. */
  readonly gated: boolean;
  /** Name of the rule that decided it; absent: none did. */
  readonly rule?: string;
  /** Keys of those who changed its arguments, each once (empty: of nobody in particular); absent: nobody did, or that is not recorded. */
  readonly editedBy?: readonly string[];
  /** Revision of the event that holds its arguments: ModelResponded, or of an a2a node DelegationRequested. */
  readonly revision: number;
  readonly phase: CallPhase;
  /** Latest attempt on the record; 0 before the first. */
  readonly attempt: number;
  /** Instance of the bridge that the attempt was recorded for. */
  readonly bridge?: string;
  /** Of a call of an agent of this platform: who works on it. */
  readonly called?: CalledAgent;
  /** What the attempt of a delegation can be found by, and what is known of the task that the agent made of it. */
  readonly sent?: SentDelegation;
  /** The approval that allows it, or that it waits for. */
  readonly approvalId?: string;
  /** Interrupts requested for it so far (approvals of whatever kind, inputs); their ids are made from it. */
  readonly asked: number;
  /** Times that its tool was found changed. */
  readonly pinChanges: number;
  readonly outcome?: CallOutcome;
  /** It was rejected, and the model is told why: the run goes on. */
  readonly explained?: true;
  /** Revision of the event that holds its result. */
  readonly resultRevision?: number;
};

/** An agent of this platform that works on a call. */
export type CalledAgent = Digests & {
  readonly agent: string;
  readonly contextScope: ContextScope;
  /** What was said up to this revision is its context. */
  readonly contextRevision: number;
  /** When it was called, in milliseconds since 1970. */
  readonly since: number;
  /** Where its definition comes from; absent: not from a repository. */
  readonly source?: AgentSource;
  /** What it has used so far, with all that it called. */
  readonly usage: Spent;
  /** Calls of agents that it and those below it have asked for; absent: none. */
  readonly agentCalls?: number;
  /** How many times what it may use people have let it use; absent: once. */
  readonly limitTimes?: number;
  /** Limits that people have given it for those of its definition; absent: none. */
  readonly givenLimits?: GivenLimits;
  /** Absent: it may take as long as it takes. */
  readonly timeLimit?: TimeLimit;
};

/** A message as it was sent to another agent. The task and its state are empty until the agent tells them. */
export type SentDelegation = {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly taskState: string;
  /** Times that this was recorded. */
  readonly updates: number;
  /** What the agent waits for, as far as that is on the record; absent if it has never asked. */
  readonly questions?: readonly AskedQuestion[];
};

/** A question of another agent, and what stands for it here. */
export type AskedQuestion = {
  readonly key: string;
  /** Of what was shown of it (see `questionDigest`). */
  readonly digest: string;
  /** Id of the approval or the input here. */
  readonly askedAs: string;
  /** The agent's own id of what it waits for; empty if it shows none. */
  readonly remoteApprovalId: string;
  /** What was decided here; `token`: one is at hand. */
  readonly verdict?: Exclude<Decided, 'withdrawn'> | 'token';
  /** Revision of the event that decided. */
  readonly decidedAt?: number;
  /** Id of the message that answers it, once that is on the record. */
  readonly messageId?: string;
};

export type StepState = {
  readonly id: string;
  readonly type: 'llm' | 'a2a' | 'sequential' | 'parallel' | 'loop';
  /** Model answers so far (llm); 1 once the message is on the record (a2a). */
  readonly turn: number;
  /** The turn whose model has answered nothing once, so that it is not asked a third time; absent if none has (llm). */
  readonly emptyTurn?: number;
  /** Ids of the calls of the last answer (llm); its one call (a2a). */
  readonly callIds: readonly string[];
  /** Revision of the last answer (llm); 0 before the first. */
  readonly answerRevision: number;
  /** Revision of the last answer that had a text (llm); 0 if none had. */
  readonly textRevision: number;
  /** It was told to say that it has done its task: after the answer of which turn, and how often (llm). */
  readonly reminded?: { readonly turn: number; readonly count: number };
  /** The agent says that it has done its task (llm). */
  readonly completion?: Completion;
  /** What the placeholders of its prompt stand for; absent if there are none (llm, a2a). */
  readonly bindings?: Readonly<Record<string, Output>>;
  /** In a pipeline: name of its node. */
  readonly node?: string;
  /** In a pipeline: the key that its output is written to; absent if there is none. */
  readonly outputKey?: string;
  /**
   * In a pipeline: the last result of its calls that says something. `index` is the call's place in the last answer, -1
   * if it is of an answer before: which result comes in last makes no difference.
   */
  readonly result?: { readonly revision: number; readonly index: number };
  /** In a pipeline: the iteration that goes on, from 1, and what those before it came to; their steps are forgotten (loop). */
  readonly iteration?: { readonly number: number; readonly before: Output };
  readonly finished?: {
    readonly output: Output;
    readonly exitLoop: boolean;
    readonly failed: boolean;
    /** Of an agent that says by itself that it has done its task. */
    readonly completion?: Omit<Completion, 'result'>;
  };
};

/** What a person made of the question of a tool server; of what a model was asked, whether there is an answer. */
export type InputAction = 'accept' | 'decline' | 'cancel';

/** A question of a tool server that takes no answer any more. */
export type SettledInput = Pick<AskedByServer, 'questionId' | 'attempt' | 'bridge'> & {
  readonly callId: string;
  readonly how: InputAction | 'withdrawn';
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the event that holds the answer, or says why there is none. */
  readonly revision: number;
  /** Why it was withdrawn. */
  readonly reason?: string;
};

export type Owner = { readonly instance: string; readonly epoch: number };

export type RunState = {
  readonly id: string;
  readonly status: 'open' | 'completed' | 'failed' | 'canceled';
  readonly messageRevision: number;
  /** Key of the principal who sent that message; absent: nobody was signed in. */
  readonly requester?: string;
  readonly agentDigest: string;
  readonly toolsetDigest: string;
  readonly bearerTokenPresent: boolean;
  /** The policy that its calls are judged by; absent: the defaults alone. */
  readonly policyDigest?: string;
  /** With a policy: whom the run answers. */
  readonly caller?: PolicyCaller;
  /** With a policy: what the run has done, as rules count it (see `RunSoFar`). */
  readonly soFar?: { readonly calls: Readonly<Record<string, number>>; readonly approvals: number };
  /** Present if its nodes are shown: the agent is a tree of them, or may call others. */
  readonly pipeline?: true;
  /** What holds for agents that call each other; absent: this one calls none. */
  readonly agentLimits?: CallingLimits;
  /** Calls of agents of this platform so far; absent: none. */
  readonly agentCalls?: number;
  /** How many times what its own agent may use people have let it use; absent: once. */
  readonly limitTimes?: number;
  /** Limits that people have given its own agent for those of its definition; absent: none. */
  readonly givenLimits?: GivenLimits;
  /** What its models' answers have used so far, with those of all agents that it called; absent: there is none. */
  readonly spent?: Spent;
  /** How long its own agent may take; absent: as long as it takes. */
  readonly timeLimit?: TimeLimit;
  /** Where the agent's definition comes from; absent: not from a repository. */
  readonly source?: AgentSource;
  /** Nothing new begins in it; absent: it goes on. */
  readonly paused?: Paused;
  /** Somebody has changed what follows from it while nobody drove it: somebody has to look. */
  readonly toBeSeen?: true;
  /** Who drives it; null while nobody does. */
  readonly owner: Owner | null;
  /** The highest epoch of any owner. */
  readonly epoch: number;
  readonly steps: Readonly<Record<string, StepState>>;
  readonly calls: Readonly<Record<string, CallState>>;
  /** What its agents share; absent: nothing. */
  readonly data?: RunData;
  /** What people, or a model, are asked, and the approvals that are settled; by id. */
  readonly interrupts: Readonly<Record<string, Interrupt>>;
  /** What became of the questions of tool servers, the latest of them; absent if there was none. */
  readonly settledInputs?: Readonly<Record<string, SettledInput>>;
  readonly sessionState: Readonly<Record<string, Output>>;
  /** Answer of a settled run. */
  readonly output?: Output;
};

/** Who has paused a run, since when, and why; by nobody in particular if `by` is empty. */
export type Paused = {
  readonly by: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The root of an agent that has used what it may; absent: a person has paused it. */
  readonly limitStepId?: string;
  /** That agent's name, and what it has used up; absent: a person has paused it, or the event is older. */
  readonly limit?: { readonly agent: string; readonly reached: readonly LimitUse[] };
};

/** A task that waits at another agent for what nobody here will answer: its run or its step was ended here. */
export type LeftElsewhere = { readonly runId: string; readonly agentDigest: string; readonly call: CallState };

export type ConversationState = {
  /** Revision of the last event folded; 0 before the first. */
  readonly revision: number;
  readonly id: string;
  /** Absent if the conversation is of no context but its own. */
  readonly contextId?: string;
  /** Key of the principal that it belongs to; absent for the anonymous one. */
  readonly principal?: string;
  readonly sessionId: string;
  readonly agentName: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly title: string;
  /** Rows of the message view so far. */
  readonly messageCount: number;
  /** The latest run. */
  readonly run: RunState | null;
  /** What people let run for the rest of the conversation, oldest first; absent if there is nothing. */
  readonly standing?: readonly StandingApproval[];
  /** Tasks of earlier runs, and of steps that were ended, that other agents are to end still, oldest first; absent if there are none. */
  readonly leftElsewhere?: readonly LeftElsewhere[];
};

/** Nothing has happened. */
export const initialState: ConversationState = {
  revision: 0,
  id: '',
  sessionId: '',
  agentName: '',
  createdAt: 0,
  updatedAt: 0,
  title: '',
  messageCount: 0,
  run: null,
};

/** The snapshot of a state, as kept with the head. */
export function encodeSnapshot(state: ConversationState): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(state));
}

/** A state from its snapshot; undefined if it was made by another version of the fold. */
export function decodeSnapshot(bytes: Uint8Array, version: number): ConversationState | undefined {
  if (version !== foldVersion) return undefined;
  return JSON.parse(new TextDecoder().decode(bytes)) as ConversationState;
}
