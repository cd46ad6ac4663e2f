import { expect, test } from 'vitest';
import { MemoryTaskStore } from '../src/agent/task-store.ts';
import { type ListTasksRequest, type Task, TaskState } from '../src/protocol.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  contextId: 'context',
  status: { state: TaskState.TASK_STATE_WORKING, timestamp: at(0), message: undefined },
  artifacts: [],
  history: [],
  metadata: undefined,
  ...more,
});

const all: ListTasksRequest = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageToken: '',
  statusTimestampAfter: undefined,
};

const ids = (tasks: readonly Task[]): string[] => tasks.map(({ id }) => id);

test('an id is taken once', () => {
  const store = new MemoryTaskStore();
  store.create(task('one'));
  expect(() => store.create(task('one'))).toThrow('there is a task one already');
});

test('nobody holds a task, only copies of it', () => {
  const store = new MemoryTaskStore();
  const given = task('one');
  store.create(given);
  given.contextId = 'changed by who made it';
  store.get('one').contextId = 'changed by who read it';
  expect(store.get('one').contextId).toBe('context');
  expect(() => store.get('two')).toThrow('Task not found');
});

test('a change is made whole or not at all', () => {
  const store = new MemoryTaskStore();
  store.create(task('one'));
  const broken = () =>
    store.update('one', () => {
      throw new Error('broken');
    });
  expect(broken).toThrow('broken');
  expect(store.get('one').contextId).toBe('context');
  store.update('one', (stored) => ({ ...stored, contextId: 'whole' }));
  expect(store.get('one').contextId).toBe('whole');
  expect(() => store.update('two', (stored) => stored)).toThrow('Task not found');
});

test('of a thousand changes at once none is lost', async () => {
  const store = new MemoryTaskStore();
  store.create(task('one'));
  const changed = Array.from({ length: 1_000 }, async (_, at) => {
    // In whatever order they come to it.
    await Promise.all(Array.from({ length: at % 7 }, () => Promise.resolve()));
    store.update('one', (stored) => ({ ...stored, metadata: { ...stored.metadata, [`change-${at}`]: at } }));
    return store.get('one');
  });
  await Promise.all(changed);
  expect(Object.keys(store.get('one').metadata ?? {})).toHaveLength(1_000);
});

test('those that ended first make room for new ones; where none has, there is no room', () => {
  const store = new MemoryTaskStore({ tasksMax: 3, bytesMax: 1_000_000, taskBytesMax: 1_000_000 });
  const end = (id: string) =>
    store.update(id, (known) => ({ ...known, status: { ...waits, state: TaskState.TASK_STATE_COMPLETED } }));
  const waits = { state: TaskState.TASK_STATE_INPUT_REQUIRED, timestamp: at(9), message: undefined };
  for (const id of ['one', 'two', 'three']) store.create(task(id, { status: waits }));
  expect(() => store.create(task('four'))).toThrow('3 tasks are open');
  end('two');
  end('one');
  store.create(task('four', { status: waits }));
  expect([store.has('one'), store.has('two')]).toEqual([true, false]);
  store.create(task('five', { status: waits }));
  expect([store.has('one'), store.waitingSince(Date.parse(at(9)))]).toEqual([false, ['three', 'four', 'five']]);
});

test('a list is cut into pages that show each task once, the one that changed last first', () => {
  const store = new MemoryTaskStore();
  for (const second of [1, 3, 2, 5, 4]) {
    const status = { state: TaskState.TASK_STATE_COMPLETED, timestamp: at(second), message: undefined };
    store.create(task(`task-${second}`, { status }));
  }
  const seen: string[][] = [];
  let pageToken = '';
  do {
    const page = store.list({ ...all, pageSize: 2, pageToken });
    expect(page.totalSize).toBe(5);
    seen.push(ids(page.tasks));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(seen).toEqual([['task-5', 'task-4'], ['task-3', 'task-2'], ['task-1']]);
});

test('a list shows what was asked for', () => {
  const store = new MemoryTaskStore();
  const waits = { state: TaskState.TASK_STATE_INPUT_REQUIRED, timestamp: at(9), message: undefined };
  store.create(task('waits', { status: waits }));
  store.create(task('elsewhere', { contextId: 'other' }));
  expect(ids(store.list({ ...all, status: TaskState.TASK_STATE_INPUT_REQUIRED }).tasks)).toEqual(['waits']);
  expect(ids(store.list({ ...all, contextId: 'other' }).tasks)).toEqual(['elsewhere']);
  expect(ids(store.list({ ...all, statusTimestampAfter: at(5) }).tasks)).toEqual(['waits']);
  expect(() => store.list({ ...all, pageSize: 0 })).toThrow('pageSize');
  expect(() => store.list({ ...all, pageToken: 'x' })).toThrow('pageToken');
});
