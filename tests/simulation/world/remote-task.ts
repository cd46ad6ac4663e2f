import type { RemoteQuestion } from '@stopgo/core';
import type { DelegationRequest } from '@stopgo/orchestrator';

/** What another agent promises and shows; its address says so. */
export type Traits = {
  /** It shows an id with each question; else it asks one at a time, in words. */
  readonly showsIds: boolean;
  /** It takes a message of one id once. */
  readonly isIdempotent: boolean;
  /** It finds the task of a message by its context. */
  readonly lists: boolean;
};

/** A question as it stands at the agent. */
export type Question = {
  readonly shown: RemoteQuestion;
  /** How it ended there; by whom, for those that somebody here decided. */
  end?: string;
};

/** The task that an agent made of one message. */
export type Task = {
  readonly id: string;
  readonly request: DelegationRequest;
  readonly traits: Traits;
  /** How many questions it asks at once, from now on. */
  readonly left: number[];
  readonly all: Question[];
  /** Ids of the messages that it has taken. */
  readonly taken: Set<string>;
  readonly waiting: (() => void)[];
  open: Question[];
  state: 'working' | 'input-required' | 'auth-required' | 'completed' | 'failed' | 'canceled';
  /** Until then it shows itself at work though it waits still for something. */
  busyUntil: number;
  /** When it asked something else last, or ended. */
  changedAt: number;
  /** What it shows until then though it was answered. */
  stale?: { readonly until: number; readonly questions: readonly RemoteQuestion[] };
};

export function traitsOf(url: string): Traits {
  const has = (word: string): boolean => new URL(url).pathname.includes(word);
  return { showsIds: has('ids'), isIdempotent: has('once'), lists: has('lists') };
}

/** True once the task goes on no more. */
export function isOver({ state }: Task): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled';
}

/** What the task comes to as whoever delegated it is told. */
export function textOf({ id, state }: Task): string {
  return `${id} is ${state}`;
}
