import { afterEach, expect, test, vi } from 'vitest';
import { InputRequired } from '../src/agent/process.ts';
import { MemoryTaskStore, type StoreBounds } from '../src/agent/task-store.ts';
import { Tasks } from '../src/agent/tasks.ts';
import { historyMessagesMax, waitingMsMax } from '../src/bounds.ts';
import { agentMessage, textOf, textPart } from '../src/parts.ts';
import { type Task, TaskState } from '../src/protocol.ts';

afterEach(() => vi.restoreAllMocks());

type Process = ConstructorParameters<typeof Tasks>[0]['process'];

/** The tasks of an agent with a process, which store they are in, and how one is begun. */
function agent(process: Process, bounds?: StoreBounds) {
  const store = new MemoryTaskStore(bounds);
  const clock = { now: Date.UTC(2026, 0, 1) };
  let ids = 0;
  const newId = () => `id-${ids++}`;
  const tasks = new Tasks({ store, process, newId, now: () => clock.now, onError: () => undefined });
  const delivery = (text: string) => ({
    message: agentMessage({ id: 'm', taskId: '', contextId: '', parts: [textPart(text)] }),
    header: () => undefined,
    dialect: '1.0' as const,
  });
  const idle = (id: string) => tasks.idle(id, new AbortController().signal);
  const begin = async (text = 'go') => {
    const { id } = tasks.begin(delivery(text));
    await idle(id);
    return store.get(id);
  };
  return { tasks, store, clock, begin, delivery, idle };
}

const worked = (process: Process) => agent(process).begin();
const state = ({ status }: Task) => status?.state;
const { TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_INPUT_REQUIRED } = TaskState;

/** How many members of lists are walked through while something is done. */
function walkedBy(work: () => void): number {
  const original = Array.prototype[Symbol.iterator];
  let walked = 0;
  try {
    Array.prototype[Symbol.iterator] = function <T>(this: T[]) {
      walked += this.length;
      return original.call(this) as ArrayIterator<T>;
    };
    work();
  } finally {
    Array.prototype[Symbol.iterator] = original;
  }
  return walked;
}

test('a piece of an artifact copies itself, not what was shown before it', async () => {
  const pieces = 500;
  let copied = 0;
  let walked = 0;
  const original = structuredClone;
  const task = await worked(({ show }) => {
    vi.spyOn(globalThis, 'structuredClone').mockImplementation((value) => {
      copied += JSON.stringify(value)?.length ?? 0;
      return original(value);
    });
    walked = walkedBy(() => {
      for (let at = 0; at < pieces; at += 1)
        show({ artifactId: 'a', parts: [textPart('word ')] }, { append: at > 0, last: false });
    });
    vi.restoreAllMocks();
    return undefined;
  });
  expect(task.artifacts[0]?.parts.length).toBe(pieces);
  expect(copied).toBeLessThan(pieces * 1_000);
  expect(walked).toBeLessThan(pieces * 10);
});

test('what a task holds is bounded: a process that shows more has failed, and others have their room', async () => {
  const bounds = { tasksMax: 10, bytesMax: 100_000, taskBytesMax: 40_000 };
  const { begin, store } = agent(({ text, show }) => {
    for (let at = 0; at < Number(text); at += 1) show({ artifactId: 'a', parts: [textPart('x'.repeat(1_000))] });
    for (let at = 0; at < Number(text); at += 1)
      show({ artifactId: 'b', parts: [textPart('x'.repeat(1_000))] }, { append: true, last: false });
    return undefined;
  }, bounds);
  const large = await begin('100');
  expect([state(large), textOf(large.status?.message?.parts ?? [])]).toEqual([
    TASK_STATE_FAILED,
    'a task holds at most 40000 bytes; go on with another task of its context',
  ]);
  // One that is shown again and again is held once.
  expect(large.artifacts[1]?.parts.length).toBeGreaterThan(20);
  const second = await begin('20');
  expect(state(second)).toBe(TASK_STATE_COMPLETED);
  for (let more = 0; more < 2; more += 1) await begin('20');
  expect([store.find(large.id), state(store.get(second.id))]).toEqual([undefined, TASK_STATE_COMPLETED]);
});

test('a message is not taken that is more than its task, or all of them, may hold', async () => {
  const bounds = { tasksMax: 10, bytesMax: 100_000, taskBytesMax: 40_000 };
  const { begin, tasks, delivery, store } = agent(() => {
    throw new InputRequired('More?');
  }, bounds);
  await expect(begin('x'.repeat(50_000))).rejects.toMatchObject({ kind: 'resource_exhausted' });
  const waits = await begin('x'.repeat(30_000));
  expect(() => tasks.goOn(waits.id, delivery('x'.repeat(30_000)))).toThrow('a task holds at most');
  expect(state(store.get(waits.id))).toBe(TASK_STATE_INPUT_REQUIRED);
  await begin('x'.repeat(30_000));
  await begin('x'.repeat(30_000));
  await expect(begin('x'.repeat(30_000))).rejects.toThrow('open tasks hold 100000 bytes');
});

test('a task that waits for a day has failed, as who follows it hears; one that was answered has its time anew', async () => {
  const { begin, tasks, clock, store, delivery, idle } = agent(() => {
    throw new InputRequired('More?');
  });
  const [left, answered] = [await begin(), await begin()];
  clock.now += waitingMsMax - 1;
  tasks.expire();
  expect(state(store.get(left.id))).toBe(TASK_STATE_INPUT_REQUIRED);
  tasks.goOn(answered.id, delivery('more'));
  await idle(answered.id);
  const hears = tasks.feed.follow(left.id, new AbortController().signal);
  clock.now += 1;
  tasks.expire();
  expect([state(store.get(left.id)), state(store.get(answered.id))]).toEqual([
    TASK_STATE_FAILED,
    TASK_STATE_INPUT_REQUIRED,
  ]);
  const { value } = await hears.next();
  expect(value?.event.payload).toMatchObject({
    $case: 'statusUpdate',
    value: { status: { state: TASK_STATE_FAILED } },
  });
  await hears.return();
});

test('who says more than a task keeps drops the oldest of it, and what is changed after it was shown is not', async () => {
  const part = textPart('shown');
  const task = await worked(({ say, show }) => {
    for (let at = 0; at < historyMessagesMax + 10; at += 1) say(`word ${at}`);
    show({ parts: [part] });
    part.filename = 'changed';
    return undefined;
  });
  expect(task.history.length).toBe(historyMessagesMax);
  expect(task.history.at(-1)?.parts[0]?.content?.value).toBe(`word ${historyMessagesMax + 9}`);
  expect(task.artifacts[0]?.parts[0]?.filename).toBe('');
});
