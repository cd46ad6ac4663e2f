import { isUuid, visibleText } from '@stopgo/core';
import { echoCharactersMax } from '../bounds.ts';
import { type A2AError, TaskNotFoundError } from '../protocol.ts';

/** The task that a request is about. */
export type TaskName = {
  /** A UUID in lower case: the id of its conversation. */
  readonly id: string;
  /** As the peer wrote it: he is told of it in his own words. */
  readonly asWritten: string;
};

/** Reads the id of a task. @throws A2AError for what cannot be one: there is no such task. */
export function readTaskName(asWritten: string): TaskName {
  const id = asWritten.toLowerCase();
  if (!isUuid(id)) throw taskNotFound(asWritten);
  return { id, asWritten };
}

/** The error for a task that is not there. */
export const taskNotFound = (asWritten: string): A2AError =>
  new TaskNotFoundError(`Task not found: ${visibleText(asWritten.slice(0, echoCharactersMax))}`);
