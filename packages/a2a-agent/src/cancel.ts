import type { Dialect } from './dialect.ts';
import { type Task, TaskNotCancelableError, TaskState } from './protocol.ts';

/**
 * In version 1.0 a task that is canceled again stays as it is; by the text of 0.3 that is an error.
 *
 * @throws A2AError if it is one.
 */
export function requireUncanceled(dialect: Dialect, { status }: Pick<Task, 'status'>): void {
  if (dialect === '1.0' || status?.state !== TaskState.TASK_STATE_CANCELED) return;
  throw new TaskNotCancelableError('Task cannot be canceled: it is canceled already');
}
