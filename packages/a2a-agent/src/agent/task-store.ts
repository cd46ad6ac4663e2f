import { resourceExhausted } from '@stopgo/core';
import {
  taskBytesMaxDefault,
  tasksBytesMax,
  tasksMaxDefault,
  tasksPerPageDefault,
  tasksPerPageMax,
} from '../bounds.ts';
import {
  type ListTasksRequest,
  type ListTasksResponse,
  RequestMalformedError,
  type Task,
  TaskNotFoundError,
  TaskState,
  type TaskStatus,
} from '../protocol.ts';
import { isWaiting, terminal } from '../task-state.ts';
import { heldBytes } from './held-bytes.ts';

/** True for a task that has ended. */
export const hasEnded = ({ status }: Task): boolean => terminal.has(stateOf(status));

const stateOf = (status: TaskStatus | undefined): TaskState => status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;

/** How much is kept in memory. */
export type StoreBounds = {
  readonly tasksMax: number;
  /** Of all tasks together. */
  readonly bytesMax: number;
  readonly taskBytesMax: number;
};

const boundsDefault: StoreBounds = {
  tasksMax: tasksMaxDefault,
  bytesMax: tasksBytesMax,
  taskBytesMax: taskBytesMaxDefault,
};

/** Where an agent keeps its tasks. Whoever is given one is given a copy, and what is kept is not changed by it. */
export interface TaskStore {
  /** @throws Error if there is a task of this id; DomainError `resource_exhausted` if there is no room. */
  create(task: Task): void;
  /** @throws TaskNotFoundError if there is none. */
  get(id: string): Task;
  has(id: string): boolean;
  /** As `get`; undefined if there is none. */
  find(id: string): Task | undefined;
  /**
   * Puts another task in the place of one, before any other change of it. `change` is given the task as it is kept, and may give the
   * same one back, changed. @throws TaskNotFoundError
   */
  update(id: string, change: (task: Readonly<Task>) => Task): void;
  /**
   * Told how many bytes a task is about to hold more, so that room can be made. @throws TaskNotFoundError; DomainError
   * `resource_exhausted` if it is too much.
   */
  grow(id: string, bytes: number): void;
  /** Told how many bytes a task holds more, or less: of what must be kept, whatever the room. @throws TaskNotFoundError */
  resize(id: string, bytes: number): void;
  /** Ids of the tasks that wait for their peer since that time or longer, in milliseconds since 1970. */
  waitingSince(time: number): readonly string[];
  /** A page of tasks, the one that changed last first. @throws A2AError for a request that cannot be met. */
  list(request: ListTasksRequest): ListTasksResponse;
}

/** Tasks, in memory: they end with the process. Nobody outside holds one, only copies. */
export class MemoryTaskStore implements TaskStore {
  readonly #bounds: StoreBounds;
  readonly #tasks = new Map<string, Task>();
  /** What each is taken to hold. */
  readonly #bytes = new Map<string, number>();
  #allBytes = 0;
  /** Those that have ended, the first of them first: they make room in this order. */
  readonly #ended = new Set<string>();
  /** Those that wait, the longest first. */
  readonly #waiting = new Set<string>();

  constructor(bounds: StoreBounds = boundsDefault) {
    this.#bounds = bounds;
  }

  /** @throws Error if there is a task of this id; DomainError `resource_exhausted` if there is no room. */
  create(task: Task): void {
    if (this.#tasks.has(task.id)) throw new Error(`there is a task ${task.id} already`);
    const bytes = heldBytes(task);
    this.#requireFitting(bytes);
    this.#makeRoom(task.id, bytes, 1);
    this.#put(structuredClone(task));
    this.resize(task.id, bytes);
  }

  /** @throws TaskNotFoundError if there is none. */
  get(id: string): Task {
    return structuredClone(this.#known(id));
  }

  has(id: string): boolean {
    return this.#tasks.has(id);
  }

  /** As {@link get}; undefined if there is none. */
  find(id: string): Task | undefined {
    return structuredClone(this.#tasks.get(id));
  }

  /**
   * Puts another task in the place of one. `change` makes it of what there is and of what nobody else holds: nothing is copied
   * here, so that a change costs no more in a task that holds much. @throws TaskNotFoundError
   */
  update(id: string, change: (task: Readonly<Task>) => Task): void {
    this.#put(change(this.#known(id)));
  }

  /**
   * Counts what a task is about to hold more. Tasks that have ended make room for it.
   *
   * @throws TaskNotFoundError; DomainError `resource_exhausted` if it is too much for one task, or all together.
   */
  grow(id: string, bytes: number): void {
    this.#requireFitting(this.#heldBy(id) + bytes);
    this.#makeRoom(id, bytes, 0);
    this.resize(id, bytes);
  }

  /** Counts what a task holds more, or less, without a bound: for what must be kept. @throws TaskNotFoundError */
  resize(id: string, bytes: number): void {
    this.#bytes.set(id, this.#heldBy(id) + bytes);
    this.#allBytes += bytes;
  }

  /** Ids of the tasks that wait since that time or longer, in milliseconds since 1970. */
  waitingSince(time: number): readonly string[] {
    const ids: string[] = [];
    for (const id of this.#waiting) {
      if (Date.parse(this.#tasks.get(id)?.status?.timestamp ?? '') > time) break;
      ids.push(id);
    }
    return ids;
  }

  /** A page of tasks, the one that changed last first. @throws A2AError for a request that cannot be met. */
  list(request: ListTasksRequest): ListTasksResponse {
    const { pageSize = tasksPerPageDefault, pageToken, contextId, status, statusTimestampAfter } = request;
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > tasksPerPageMax) {
      throw new RequestMalformedError(`pageSize must be 1 to ${tasksPerPageMax}`);
    }
    if (status === TaskState.UNRECOGNIZED) throw new RequestMalformedError('status is no task state');
    const since = statusTimestampAfter === undefined ? undefined : Date.parse(statusTimestampAfter);
    if (Number.isNaN(since)) throw new RequestMalformedError('statusTimestampAfter must be a time (RFC 3339)');
    const matching = [...this.#tasks.values()]
      .filter((task) => contextId === '' || task.contextId === contextId)
      .filter((task) => status === TaskState.TASK_STATE_UNSPECIFIED || task.status?.state === status)
      .filter((task) => since === undefined || Date.parse(task.status?.timestamp ?? '') >= since)
      .map((task) => ({ place: placeOf(task), task }))
      .sort((one, other) => (one.place < other.place ? 1 : -1));
    const before = pageToken === '' ? undefined : placeIn(pageToken);
    const rest = before === undefined ? matching : matching.filter(({ place }) => place < before);
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    return {
      tasks: page.map(({ task }) => structuredClone(task)),
      nextPageToken: rest.length > pageSize && last !== undefined ? tokenOf(last.place) : '',
      pageSize,
      totalSize: matching.length,
    };
  }

  #known(id: string): Task {
    const task = this.#tasks.get(id);
    if (task === undefined) throw new TaskNotFoundError('Task not found');
    return task;
  }

  #requireFitting(bytes: number): void {
    const { taskBytesMax } = this.#bounds;
    if (bytes <= taskBytesMax) return;
    throw resourceExhausted(`a task holds at most ${taskBytesMax} bytes; go on with another task of its context`);
  }

  #heldBy(id: string): number {
    this.#known(id);
    return this.#bytes.get(id) ?? 0;
  }

  #put(task: Task): void {
    const { id, status } = task;
    this.#waiting.delete(id);
    this.#tasks.set(id, task);
    if (!hasEnded(task)) this.#ended.delete(id);
    else this.#ended.add(id);
    if (isWaiting(stateOf(status))) this.#waiting.add(id);
  }

  /** @throws DomainError if there is no room, and nothing has ended but what is about to grow. */
  #makeRoom(id: string, bytes: number, tasks: number): void {
    const { tasksMax, bytesMax } = this.#bounds;
    for (const ended of this.#ended) {
      if (this.#tasks.size + tasks <= tasksMax && this.#allBytes + bytes <= bytesMax) return;
      if (ended !== id) this.#forget(ended);
    }
    if (this.#tasks.size + tasks > tasksMax)
      throw resourceExhausted(`${tasksMax} tasks are open, which is the limit; try again later`);
    if (this.#allBytes + bytes > bytesMax)
      throw resourceExhausted(`open tasks hold ${bytesMax} bytes, which is the limit; try again later`);
  }

  #forget(id: string): void {
    this.#allBytes -= this.#bytes.get(id) ?? 0;
    this.#bytes.delete(id);
    this.#ended.delete(id);
    this.#tasks.delete(id);
  }
}

/** Where a task stands in a list: times are written so that their order is that of their texts. */
const placeOf = ({ id, status }: Task): string => `${status?.timestamp ?? ''} ${id}`;

const tokenOf = (place: string): string => Buffer.from(place).toString('base64url');

function placeIn(token: string): string {
  const place = Buffer.from(token, 'base64url').toString();
  if (!/^\S+ \S+$/.test(place)) throw new RequestMalformedError('pageToken is none of a list of this agent');
  return place;
}
