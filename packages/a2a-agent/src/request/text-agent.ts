import type { AgentCard, ListTasksResponse, StreamResponse, Task, TaskPushNotificationConfig } from '../protocol.ts';
import type { AskedPage } from './asked-page.ts';
import type { AskedPush } from './push.ts';
import type { SaidMessage } from './said-message.ts';
import type { TaskName } from './task-name.ts';

/**
 * An agent that is told texts, as one peer of it sees it. What it is asked has been read: envelope, method, params, parts, and what the
 * words of a message can mean. It throws what went wrong as it is; that is put into a peer's words elsewhere.
 */
export type TextAgent = {
  card(): Promise<AgentCard>;
  extendedCard(): Promise<AgentCard>;
  /** Takes a message; the task as it is once it has ended or waits, or at once. */
  send(said: SaidMessage, answer: AskedAnswer): Promise<Task>;
  /** Takes a message, and shows what becomes of its task until that has ended or waits. */
  sendAndFollow(said: SaidMessage): AsyncGenerator<StreamResponse, void>;
  /** Shows what becomes of a task until it has ended. */
  follow(task: TaskName): AsyncGenerator<StreamResponse, void>;
  /** @param historyLength - messages that are shown; undefined: as many as may be. */
  get(task: TaskName, historyLength: number | undefined): Promise<Task>;
  list(page: AskedPage): Promise<ListTasksResponse>;
  cancel(task: TaskName): Promise<Task>;
  createPush(task: TaskName, push: AskedPush): Promise<TaskPushNotificationConfig>;
  /** @param configId - empty: the only one. */
  getPush(task: TaskName, configId: string): Promise<TaskPushNotificationConfig>;
  listPush(task: TaskName): Promise<TaskPushNotificationConfig[]>;
  deletePush(task: TaskName, configId: string): Promise<void>;
};

/** How a message is to be answered. */
export type AskedAnswer = {
  /** Messages that the task shows. */
  readonly historyLength: number;
  /** The run is not waited for. */
  readonly isAtOnce: boolean;
};
