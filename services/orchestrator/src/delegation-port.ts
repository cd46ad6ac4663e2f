import type { AskedQuestion, RemoteAgent, RemoteQuestion, RemoteTask } from '@stopgo/core';
import type { Secret } from '@stopgo/rpc';
import type { AttemptKey } from './tool-port.ts';

/** One attempt to delegate: the same for as long as the attempt lasts, whoever asks. */
export type DelegationRequest = {
  readonly key: AttemptKey;
  readonly agent: RemoteAgent;
  readonly message: string;
  /** The same each time that the attempt is sent, and no other's: also the idempotency key towards the agent. */
  readonly messageId: string;
  /** Nothing else is ever sent in this context. */
  readonly contextId: string;
  /** The task that the agent made of it, as far as that is on the record; empty if nothing is known of one. */
  readonly taskId: string;
  readonly bearer?: Secret;
  /** It was sent with a token: to whoever asks without one the agent may deny that there is such a task. */
  readonly hadToken?: true;
  readonly sessionId: string;
};

/** What an agent tells while its task goes on. */
export type DelegationUpdate = { readonly task: RemoteTask; readonly text: string };

/** The task waits for people, or for a token: it goes on when it is answered, whoever does it. */
export type AgentAsks = {
  readonly kind: 'asks';
  readonly task: RemoteTask;
  readonly text: string;
  /** All that it waits for; at least one. */
  readonly questions: readonly RemoteQuestion[];
  /** The agent promises to take a message of one id once. */
  readonly isIdempotent: boolean;
};

/** What became of a delegation. */
export type DelegationOutcome =
  /** The agent has answered, or its task has ended; `isError`: it failed, or was rejected or canceled there. */
  | {
      readonly kind: 'finished';
      readonly task: RemoteTask;
      readonly text: string;
      readonly isError: boolean;
      readonly durationMs: number;
      readonly cut?: { readonly fullBytes: number; readonly sha256: string };
    }
  | AgentAsks
  /** The agent wants a bearer token, or another one; it took nothing. */
  | { readonly kind: 'unauthenticated' }
  /** This sending certainly reached nobody and never will. The message is told to the user: no secrets in it. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** What can be learnt of an attempt that was sent, or may have been. */
export type LookedUp =
  | { readonly kind: 'outcome'; readonly outcome: Extract<DelegationOutcome, { kind: 'finished' }> }
  | AgentAsks
  /** Its task goes on there. */
  | ({ readonly kind: 'running' } & DelegationUpdate)
  /** Nothing is known of it, but the agent promises to take a message of one id once: it may be sent again. */
  | { readonly kind: 'repeatable' }
  /** The agent wants a bearer token, or another one, before it says anything of it. */
  | { readonly kind: 'unauthenticated' }
  /** The agent answers, and cannot tell. */
  | { readonly kind: 'unknown'; readonly message: string };

/** An answer to a question of an agent. */
export type DelegationAnswer = {
  /** What the agent asked for; empty if it only asked in words. */
  readonly approvalId: string;
  /** What was decided here; `token`: the token that it wants goes along. */
  readonly verdict: NonNullable<AskedQuestion['verdict']>;
  /** With `happened`: what is known of it. */
  readonly result: string;
  /** Who decided, and at which agent; absent if nobody in particular did. */
  readonly by?: string;
  /** The same each time that this answer is sent. */
  readonly messageId: string;
  /** It is not waited for what comes of it: there is more to answer. */
  readonly isOneOfSeveral: boolean;
};

/** What became of sending an answer. */
export type Answered =
  | DelegationOutcome
  /** Nothing was sent: it was not to go any more. */
  | { readonly kind: 'held' }
  /** It was taken, and the task goes on. */
  | ({ readonly kind: 'running' } & DelegationUpdate)
  /** The agent has answered that it could not do it; how far it came nobody knows. The message is told to the user. */
  | { readonly kind: 'failed'; readonly message: string };

/** Where an agent is to say that a task has changed. */
export type Callback = {
  /** The same for one task each time. */
  readonly id: string;
  readonly url: string;
  /** What it is to show there. */
  readonly token: Secret;
};

/** What an agent made of a callback; the reason of a refusal is for the log, and holds no secrets. */
export type CallbackAnswer =
  | { readonly kind: 'taken' | 'not_offered' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Other agents as the orchestrator needs them. Nothing is kept between calls but connections. */
export type DelegationPort = {
  /**
   * Sends the message, and follows its task until it ends; `tell` is given each state of the task that is new. Rejects when
   * the agent was lost after it may have been reached, or `signal` aborts: then nobody knows here what became of it.
   */
  delegate(
    request: DelegationRequest,
    tell: (update: DelegationUpdate) => void,
    signal: AbortSignal,
  ): Promise<DelegationOutcome>;
  /**
   * Sends an answer to the task that asked, and follows it until it ends or asks something else; of several answers only
   * until it was taken (`running`). `unavailable`: it was surely not taken. `mayGo` is asked once all is at hand that the
   * sending needs; nothing is awaited between a yes and that. Rejects as `delegate` does, and if `mayGo` does.
   */
  answer(
    request: DelegationRequest,
    answer: DelegationAnswer,
    tell: (update: DelegationUpdate) => void,
    signal: AbortSignal,
    mayGo: () => Promise<boolean>,
  ): Promise<Answered>;
  /** Asks the agent what it knows of an attempt. Changes nothing there. Rejects if it does not answer within seconds. */
  lookUp(request: DelegationRequest, signal: AbortSignal): Promise<LookedUp>;
  /**
   * Has the agent call back whenever the task of an attempt changes from now on. The same callback again is the same. Rejects
   * if it is not known what the agent made of it.
   */
  notify(request: DelegationRequest, callback: Callback, signal: AbortSignal): Promise<CallbackAnswer>;
  /** Asks the agent to end the task of an attempt. Whether it does, `delegate` and `lookUp` tell. */
  cancel(request: DelegationRequest): Promise<void>;
};
