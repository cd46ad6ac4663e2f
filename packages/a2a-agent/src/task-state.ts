import { TaskState } from './protocol.ts';

/** The states that a task does not leave any more. */
export const terminal: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** True for a state in which the task waits for somebody. */
export const isWaiting = (state: TaskState): boolean =>
  state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED;
