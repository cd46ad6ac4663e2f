import type { RemoteAgent, RemoteTask } from '@stopgo/core';
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
  readonly sessionId: string;
};

/** What an agent tells while its task goes on. */
export type DelegationUpdate = { readonly task: RemoteTask; readonly text: string };

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
  /** The agent wants a bearer token, or another one; it took nothing. */
  | { readonly kind: 'unauthenticated' }
  /** This sending certainly reached nobody and never will. The message is told to the user: no secrets in it. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** What can be learnt of an attempt that was sent, or may have been. */
export type LookedUp =
  | { readonly kind: 'outcome'; readonly outcome: Exclude<DelegationOutcome, { kind: 'unavailable' }> }
  /** Its task goes on there. */
  | ({ readonly kind: 'running' } & DelegationUpdate)
  /** It never arrived, and never will, however late. An agent that merely lists no task for it has not said that. */
  | { readonly kind: 'never_arrived' }
  /** Nothing is known of it, but the agent promises to take a message of one id once: it may be sent again. */
  | { readonly kind: 'repeatable' }
  /** The agent answers, and cannot tell. */
  | { readonly kind: 'unknown'; readonly message: string };

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
  /** Asks the agent what it knows of an attempt. Changes nothing there. Rejects if it does not answer within seconds. */
  lookUp(request: DelegationRequest, signal: AbortSignal): Promise<LookedUp>;
  /** Asks the agent to end the task of an attempt. Whether it does, `delegate` and `lookUp` tell. */
  cancel(request: DelegationRequest): Promise<void>;
};

/** For a program without a client for other agents: none is ever reached. */
export const noAgents: DelegationPort = {
  delegate: async () => ({ kind: 'unavailable', message: 'this program has no client for other agents' }),
  lookUp: async () => ({ kind: 'unknown', message: 'this program has no client for other agents' }),
  cancel: async () => undefined,
};
