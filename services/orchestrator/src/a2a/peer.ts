import type { Callback } from '../delegation-port.ts';
import type { RemoteAnswer, RemoteTaskSeen } from './remote-answer.ts';

/** A message to an agent. */
export type Sending = {
  readonly text: string;
  readonly messageId: string;
  /** Empty in an answer to a task. */
  readonly contextId: string;
  /** The task that it answers. */
  readonly taskId?: string;
  readonly data?: Readonly<Record<string, string>>;
};

/** What goes with a request. The headers may hold a token: they are neither kept nor shown. */
export type RequestScope = {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/**
 * An agent, in whichever dialect it speaks. Every method rejects with a failure of `failures.ts` where it is certain what
 * that means; any other error leaves open what arrived.
 */
export type Peer = {
  /** Gives what the agent answers: each state of the task as it is told, or one that goes on, to be asked about. */
  send(sending: Sending, scope: RequestScope): AsyncIterable<RemoteAnswer>;
  get(taskId: string, scope: RequestScope): Promise<RemoteTaskSeen>;
  /** The first few tasks of a context; undefined if its dialect cannot list. */
  list(contextId: string, scope: RequestScope): Promise<readonly RemoteTaskSeen[] | undefined>;
  /** Asks it to end the task. */
  cancel(taskId: string, scope: RequestScope): Promise<void>;
  /** Has it post to an address whenever the task changes. Absent: its dialect has no word for that. */
  notify?(taskId: string, callback: Callback, scope: RequestScope): Promise<void>;
};
