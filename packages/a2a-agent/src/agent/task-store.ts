import { resourceExhausted } from '@stopgo/core';
import { TASKS_MAX, TASKS_PER_PAGE_DEFAULT, TASKS_PER_PAGE_MAX } from '../bounds.ts';
import {
  type ListTasksRequest,
  type ListTasksResponse,
  RequestMalformedError,
  type Task,
  TaskNotFoundError,
  TaskState,
} from '../protocol.ts';

/** The states that a task does not leave any more. */
const TERMINAL: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** True for a task that has ended. */
export const hasEnded = ({ status }: Task): boolean => TERMINAL.has(stateOf(status?.state));

/** True for a task that waits for its peer. */
export const isWaiting = ({ status }: Task): boolean => status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;

const stateOf = (state: TaskState | undefined): TaskState => state ?? TaskState.TASK_STATE_UNSPECIFIED;

/** Tasks, in memory: they end with the process. Nobody outside holds one, only copies. */
export class MemoryTaskStore {
  readonly #tasks = new Map<string, Task>();

  /** @throws Error if there is a task of this id; DomainError `resource_exhausted` if there is no room. */
  create(task: Task): void {
    if (this.#tasks.has(task.id)) throw new Error(`there is a task ${task.id} already`);
    if (this.#tasks.size >= TASKS_MAX) this.#forgetOldest();
    this.#tasks.set(task.id, structuredClone(task));
  }

  /** @throws TaskNotFoundError if there is none. */
  get(id: string): Task {
    return structuredClone(this.#known(id));
  }

  /** As {@link get}; undefined if there is none. */
  find(id: string): Task | undefined {
    return structuredClone(this.#tasks.get(id));
  }

  /**
   * Puts another task in the place of one. `change` makes it of what there is, which it must leave as it is, and of what nobody
   * else holds: nothing is copied here, so that a change costs no more in a task that holds much. @throws TaskNotFoundError
   */
  update(id: string, change: (task: Readonly<Task>) => Task): void {
    this.#tasks.set(id, change(this.#known(id)));
  }

  /** A page of tasks, the one that changed last first. @throws A2AError for a request that cannot be met. */
  list(request: ListTasksRequest): ListTasksResponse {
    const { pageSize = TASKS_PER_PAGE_DEFAULT, pageToken, contextId, status, statusTimestampAfter } = request;
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > TASKS_PER_PAGE_MAX) {
      throw new RequestMalformedError(`pageSize must be 1 to ${TASKS_PER_PAGE_MAX}`);
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

  /** @throws DomainError if every task is still open. */
  #forgetOldest(): void {
    for (const [id, task] of this.#tasks) {
      if (!hasEnded(task)) continue;
      this.#tasks.delete(id);
      return;
    }
    throw resourceExhausted(`${TASKS_MAX} tasks are open, which is the limit; try again later`);
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
