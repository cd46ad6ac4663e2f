import type { RemoteQuestion } from '@stopgo/core';

/** States of a task, in the words of the protocol; `unknown` for what is none of them. */
export const taskStates = [
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'rejected',
  'input-required',
  'auth-required',
  'unknown',
] as const;

export type TaskState = (typeof taskStates)[number];

/** A task as an agent shows it. */
export type RemoteTaskSeen = {
  readonly id: string;
  readonly contextId: string;
  readonly state: TaskState;
  /** What the agent says: its results if it has ended well, else the message of its state. May be empty. */
  readonly text: string;
  /** What it waits for; none unless it waits. */
  readonly questions: readonly RemoteQuestion[];
};

/** What an agent answers to a message. */
export type RemoteAnswer =
  | { readonly kind: 'task'; readonly task: RemoteTaskSeen }
  /** All that comes: there is no task. */
  | { readonly kind: 'message'; readonly text: string };

/** Whether a task in this state goes on no more. */
export function hasEnded(state: TaskState): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected';
}

/** Whether a task in this state goes on only when somebody answers. */
export function isWaiting(state: TaskState): boolean {
  return state === 'input-required' || state === 'auth-required';
}

/** What a task says: results count where it has ended well; a state's message says why it has not. */
export function textOfTask(state: TaskState, results: string, message: string): string {
  if (state === 'completed') return results === '' ? message : results;
  return message === '' ? results : message;
}

/** The state of any spelling: `input-required` and `TASK_STATE_INPUT_REQUIRED`. */
export function taskStateOf(word: unknown): TaskState {
  if (typeof word !== 'string') return 'unknown';
  const plain = word
    .replace(/^TASK_STATE_/i, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return taskStates.find((state) => state === plain) ?? 'unknown';
}
