import { afterEach, expect, test, vi } from 'vitest';
import { MemoryTaskStore } from '../src/agent/task-store.ts';
import { Tasks } from '../src/agent/tasks.ts';
import { HISTORY_MESSAGES_MAX } from '../src/bounds.ts';
import { agentMessage, textPart } from '../src/parts.ts';

afterEach(() => vi.restoreAllMocks());

async function worked(process: ConstructorParameters<typeof Tasks>[0]['process']) {
  const store = new MemoryTaskStore();
  let ids = 0;
  const newId = () => `id-${ids++}`;
  const tasks = new Tasks({ store, process, newId, now: () => 0, onError: () => undefined });
  const message = agentMessage({ id: 'm', taskId: '', contextId: '', parts: [textPart('go')] });
  const { id } = tasks.begin({ message, header: () => undefined, dialect: '1.0' });
  await tasks.idle(id, new AbortController().signal);
  return store.get(id);
}

test('a piece of an artifact copies itself, not what was shown before it', async () => {
  const pieces = 500;
  let copied = 0;
  const original = structuredClone;
  const task = await worked(({ show }) => {
    vi.spyOn(globalThis, 'structuredClone').mockImplementation((value) => {
      copied += JSON.stringify(value)?.length ?? 0;
      return original(value);
    });
    for (let at = 0; at < pieces; at += 1)
      show({ artifactId: 'a', parts: [textPart('word ')] }, { append: at > 0, last: false });
    vi.restoreAllMocks();
    return undefined;
  });
  expect(task.artifacts[0]?.parts.length).toBe(pieces);
  expect(copied).toBeLessThan(pieces * 1_000);
});

test('who says more than a task keeps drops the oldest of it, and what is changed after it was shown is not', async () => {
  const part = textPart('shown');
  const task = await worked(({ say, show }) => {
    for (let at = 0; at < HISTORY_MESSAGES_MAX + 10; at += 1) say(`word ${at}`);
    show({ parts: [part] });
    part.filename = 'changed';
    return undefined;
  });
  expect(task.history.length).toBe(HISTORY_MESSAGES_MAX);
  expect(task.history.at(-1)?.parts[0]?.content?.value).toBe(`word ${HISTORY_MESSAGES_MAX + 9}`);
  expect(task.artifacts[0]?.parts[0]?.filename).toBe('');
});
