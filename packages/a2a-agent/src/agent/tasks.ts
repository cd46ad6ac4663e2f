// The tasks of an agent, and the processes that work on them.
//
// 1. At most one process works on a task.
// 2. What a process gives, shows or throws after its task has ended changes nothing.
// 3. Each change is in the store before anybody is told of it.
import { visibleText } from '@stopgo/core';
import { errorCharactersMax, historyMessagesMax, waitingMsMax } from '../bounds.ts';
import type { Dialect } from '../dialect.ts';
import { agentMessage, textOf, textPart } from '../parts.ts';
import {
  type Artifact,
  type Message,
  Role,
  type StreamResponse,
  type Task,
  TaskNotCancelableError,
  TaskState,
  UnsupportedOperationError,
} from '../protocol.ts';
import { heldBytes } from './held-bytes.ts';
import {
  InputRequired,
  type NewArtifact,
  type Output,
  type Piece,
  type ProcessFunc,
  Rejected,
  type Turn,
} from './process.ts';
import { TaskFeed } from './task-feed.ts';
import { hasEnded, type TaskStore } from './task-store.ts';

export type TasksOptions = {
  readonly store: TaskStore;
  readonly process: ProcessFunc;
  /** Told what a process threw that is no answer: its task has failed. */
  readonly onError: (error: unknown, taskId: string) => void;
  readonly newId: () => string;
  /** A clock, in milliseconds. */
  readonly now: () => number;
};

/** A message on its way to a task, and what the request that brought it carried. */
export type Delivery = { readonly message: Message; readonly header: Turn['header']; readonly dialect: Dialect };

type Worker = { readonly abort: AbortController; readonly done: Promise<void> };

type Change = (task: Readonly<Task>) => { readonly task: Task; readonly told: StreamResponse['payload'] };

export class Tasks {
  readonly feed = new TaskFeed();
  readonly #options: TasksOptions;
  readonly #workers = new Map<string, Worker>();

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** A new task for a message. @throws DomainError `resource_exhausted` if there is no room for it. */
  begin(delivery: Delivery): Task {
    const { message, dialect } = delivery;
    const { store, newId } = this.#options;
    this.expire();
    const id = newId();
    const contextId = message.contextId || newId();
    const status = { state: TaskState.TASK_STATE_SUBMITTED, timestamp: this.#time(), message: undefined };
    const history = [{ ...message, taskId: id, contextId }];
    store.create({ id, contextId, status, artifacts: [], history, metadata: { revision: 1, dialect } });
    this.#work(id, delivery);
    return store.get(id);
  }

  /** Hands the next message to a task, ended or not. @throws A2AError if somebody works on it. */
  goOn(taskId: string, delivery: Delivery): Task {
    if (this.#workers.has(taskId)) {
      throw new UnsupportedOperationError('the task is being worked on; send the message when it waits or has ended');
    }
    this.#remember(taskId, delivery.message);
    this.#work(taskId, delivery);
    return this.#options.store.get(taskId);
  }

  /** Ends a task as canceled. One that is canceled stays so. @throws A2AError for one that has ended otherwise. */
  cancel(taskId: string): Task {
    const task = this.#options.store.get(taskId);
    if (task.status?.state === TaskState.TASK_STATE_CANCELED) return task;
    if (hasEnded(task)) throw new TaskNotCancelableError('Task cannot be canceled: it has ended');
    this.#settle(taskId, TaskState.TASK_STATE_CANCELED);
    this.#workers.get(taskId)?.abort.abort();
    return this.#options.store.get(taskId);
  }

  /** The dialect that a task was started in, of those that do not always show; undefined if there is no such task. */
  startedIn(taskId: string): '0.3' | 'legacy' | undefined {
    const task = this.#options.store.find(taskId);
    return task && (task.metadata?.dialect === 'legacy' ? 'legacy' : '0.3');
  }

  /** Resolves when nobody works on the task any more, or the signal aborts. */
  async idle(taskId: string, signal: AbortSignal): Promise<void> {
    const done = this.#workers.get(taskId)?.done;
    if (done === undefined || signal.aborted) return;
    let abort = () => {};
    const aborted = new Promise<void>((resolve) => {
      abort = resolve;
      signal.addEventListener('abort', abort, { once: true });
    });
    await Promise.race([done, aborted]);
    signal.removeEventListener('abort', abort);
  }

  /** Ends the tasks that have waited for their peer for too long: whoever follows one hears it. */
  expire(): void {
    const { store, now } = this.#options;
    for (const id of store.waitingSince(now() - waitingMsMax))
      this.#settle(id, TaskState.TASK_STATE_FAILED, `Nobody answered for ${waitingMsMax / 3_600_000} hours.`);
  }

  /** Tells all processes that the agent stops. */
  stop(): void {
    for (const { abort } of this.#workers.values()) abort.abort();
  }

  #work(taskId: string, delivery: Delivery): void {
    const abort = new AbortController();
    const done = this.#perform(taskId, delivery, abort.signal)
      // Even an `onError` that throws must not end the program.
      .catch(() => undefined)
      .finally(() => this.#workers.delete(taskId));
    this.#workers.set(taskId, { abort, done });
  }

  async #perform(taskId: string, { message, header }: Delivery, signal: AbortSignal): Promise<void> {
    // The caller is given the task before its process begins.
    await Promise.resolve();
    this.#settle(taskId, TaskState.TASK_STATE_WORKING);
    try {
      const task = this.#options.store.get(taskId);
      const output = await this.#options.process({
        text: textOf(message.parts),
        message: structuredClone(message),
        said: task.history.filter(({ role }) => role === Role.ROLE_USER).map(({ parts }) => textOf(parts)),
        task,
        signal,
        header,
        say: (text) => this.#settle(taskId, TaskState.TASK_STATE_WORKING, text),
        show: (artifact, piece) => this.#show(taskId, artifact, piece),
      });
      for (const artifact of artifactsOf(output)) this.#show(taskId, artifact);
      this.#settle(taskId, TaskState.TASK_STATE_COMPLETED);
    } catch (error) {
      this.#thrown(taskId, error);
    }
  }

  #thrown(taskId: string, error: unknown): void {
    if (error instanceof InputRequired) {
      this.#settle(taskId, TaskState.TASK_STATE_INPUT_REQUIRED, error.message);
    } else if (error instanceof Rejected) {
      this.#settle(taskId, TaskState.TASK_STATE_REJECTED, error.message);
    } else {
      const text = error instanceof Error ? error.message : String(error);
      this.#settle(taskId, TaskState.TASK_STATE_FAILED, visibleText(text.slice(0, errorCharactersMax)));
      this.#options.onError(error, taskId);
    }
  }

  #settle(taskId: string, state: TaskState, says = ''): void {
    this.#change(taskId, (task) => {
      const { store, newId } = this.#options;
      const { id, contextId } = task;
      const message =
        says === '' ? undefined : agentMessage({ id: newId(), taskId: id, contextId, parts: [textPart(says)] });
      // How it ends is told, however much it holds.
      if (state === TaskState.TASK_STATE_WORKING) store.grow(id, heldBytes(message));
      else store.resize(id, heldBytes(message));
      const status = { state, timestamp: this.#time(), message };
      const told = { $case: 'statusUpdate', value: { taskId: id, contextId, status, metadata: undefined } } as const;
      // What was said before stays readable once the status says something else.
      return { task: { ...task, status, history: this.#history(task) }, told };
    });
  }

  #show(taskId: string, shown: NewArtifact, { append, last }: Piece = { append: false, last: true }): void {
    // Whoever showed it may change it afterwards.
    const own = structuredClone(shown);
    this.#change(taskId, (task) => {
      const { store, newId } = this.#options;
      const { id, contextId, artifacts } = task;
      const artifact: Artifact = {
        artifactId: newId(),
        name: '',
        description: '',
        metadata: undefined,
        extensions: [],
        ...own,
        parts: [...own.parts],
      };
      // Mostly it is the one that was shown last.
      const at = artifacts.findLastIndex(({ artifactId }) => artifactId === artifact.artifactId);
      const known = artifacts[at];
      const isPiece = append && known !== undefined;
      store.grow(id, heldBytes(isPiece ? artifact.parts : artifact) - (isPiece ? 0 : heldBytes(known)));
      // In place: nobody else holds them, and a piece costs no more after many.
      if (isPiece) for (const part of artifact.parts) known.parts.push(part);
      else if (known === undefined) artifacts.push(artifact);
      else artifacts[at] = artifact;
      const value = { taskId: id, contextId, artifact, append: isPiece, lastChunk: last };
      return { task, told: { $case: 'artifactUpdate', value: { ...value, metadata: undefined } } as const };
    });
  }

  #remember(taskId: string, message: Message): void {
    const { store } = this.#options;
    const own = structuredClone(message);
    store.grow(taskId, heldBytes(own));
    store.update(taskId, (task) => ({
      ...task,
      status: { state: TaskState.TASK_STATE_SUBMITTED, timestamp: this.#time(), message: undefined },
      history: this.#history(task, { ...own, taskId, contextId: task.contextId }),
    }));
  }

  /** The messages of a task with that of its status, and another one; the latest, of too many. */
  #history({ id, history, status }: Readonly<Task>, ...more: readonly Message[]): Message[] {
    const all = [...history, ...(status?.message === undefined ? [] : [status.message]), ...more];
    const dropped = all.splice(0, all.length - historyMessagesMax);
    if (dropped.length > 0) this.#options.store.resize(id, -dropped.reduce((sum, one) => sum + heldBytes(one), 0));
    return all;
  }

  #change(taskId: string, change: Change): void {
    const { store } = this.#options;
    let told: StreamResponse['payload'];
    let revision = 0;
    // One that has ended may have made room for others.
    if (!store.has(taskId)) return;
    store.update(taskId, (before) => {
      if (hasEnded(before)) return before;
      const { task, told: payload } = change(before);
      revision = revisionOf(before) + 1;
      told = payload;
      return { ...task, metadata: { ...task.metadata, revision } };
    });
    if (told !== undefined) this.feed.tell(taskId, { revision, event: { payload: structuredClone(told) } });
  }

  readonly #time = (): string => new Date(this.#options.now()).toISOString();
}

/** How many changes a task has seen. */
export const revisionOf = ({ metadata }: Task): number => Number(metadata?.revision);

function artifactsOf(output: Output): readonly NewArtifact[] {
  if (output === undefined || output === '') return [];
  if (typeof output === 'string') return [{ name: 'answer', parts: [textPart(output)] }];
  return 'artifacts' in output ? output.artifacts : [{ name: 'answer', parts: output }];
}
