import { memoryStream } from '@stopgo/core';
import type { MemoryCall } from '@stopgo/core/memory';
import { expect, test } from 'vitest';
import { AgentMemories } from '../../src/memories/agent-memories.ts';
import { LogInMemory } from '../agents/log-in-memory.ts';
import { HandClock } from '../driver/one-driver.ts';

const signal = new AbortController().signal;
const call = (callId: string, runId = 'run-1'): MemoryCall => ({
  ...{ conversationId: 'c', runId, stepId: 'root', callId },
});
const value = (of: unknown, key = 'k') => ({ key, valueJson: JSON.stringify(of) });

/** Processes that share a log, each with what it knows of it; `before`: what befalls an append. */
function processes() {
  const log = new LogInMemory();
  // Whoever pauses goes on at once.
  const clock = Object.assign(new HandClock(), { sleep: async () => undefined });
  let ids = 0;
  const start = (bytesMax?: number) =>
    new AgentMemories({ instance: 'me', log, clock, newId: () => `id ${++ids}`, random: () => 0 }, bytesMax);
  const saved = (agent: string) => log.streams.get(memoryStream(agent))?.length ?? 0;
  return { log, clock, start, saved };
}

test('what one process saved is what another loads, and only for the same agent', async () => {
  const { start } = processes();
  const [one, other] = [start(), start()];
  expect(await one.load('a', 'k', signal)).toEqual({
    ...{ content: 'There is no memory k; nothing is remembered.', isError: true },
  });
  expect(await other.save('a', value({ n: 1 }), call('1'), signal)).toEqual({ content: 'Saved.', isError: false });
  expect(await one.load('a', 'k', signal)).toEqual({ content: '{"n":1}', isError: false });
  await one.save('a', value('two'), call('2'), signal);
  expect((await other.load('a', 'k', signal)).content).toBe('"two"');
  expect((await one.load('b', 'k', signal)).isError).toBe(true);
  expect((await one.load('A', 'k', signal)).isError).toBe(true);
});

test('a call that is repeated elsewhere saves nothing more, whatever was saved since', async () => {
  const { start, saved } = processes();
  await start().save('a', value(1), call('1'), signal);
  await start().save('a', value(2), call('2'), signal);
  expect(await start().save('a', value(1), call('1'), signal)).toEqual({ content: 'Saved.', isError: false });
  expect(saved('a')).toBe(2);
  expect((await start().load('a', 'k', signal)).content).toBe('2');
});

test('so does one that so many others were saved after that only the log knows it', async () => {
  const { start, saved } = processes();
  const memories = start();
  await memories.save('a', value(1), call('1'), signal);
  const others = 300;
  for (let n = 0; n < others; n += 1) await memories.save('a', value(n), call(`other ${n}`), signal);
  expect(await start().save('a', value(1), call('1'), signal)).toEqual({ content: 'Saved.', isError: false });
  expect(saved('a')).toBe(1 + others);
});

test('two that save the same call at once save it once, and two calls at once are both saved', async () => {
  const { start, saved } = processes();
  const [one, other] = [start(), start()];
  await Promise.all([one.save('a', value(1), call('1'), signal), other.save('a', value(1), call('1'), signal)]);
  expect(saved('a')).toBe(1);
  await Promise.all([one.save('a', value(2), call('2'), signal), other.save('a', value(3, 'l'), call('3'), signal)]);
  expect(saved('a')).toBe(3);
});

test('what has expired is not loaded any more', async () => {
  const { clock, start } = processes();
  const memories = start();
  const until = { ...value(1), expiresAt: 1_000 };
  expect((await memories.save('a', until, call('1'), signal)).content).toBe('Saved until 1970-01-01T00:00:01Z.');
  expect((await memories.load('a', 'k', signal)).isError).toBe(false);
  await clock.pass(1_000);
  expect((await memories.load('a', 'k', signal)).content).toMatch(/^There is no memory k any more: it expired at /);
  expect(await memories.save('a', until, call('2'), signal)).toEqual({
    ...{ isError: true, content: expect.stringMatching(/^Nothing was saved: it would expire at .*\.$/) },
  });
});

/** From which revision on each read of a log is, in their order. */
function reads(log: LogInMemory): number[] {
  const from: number[] = [];
  const read = log.read.bind(log);
  log.read = (stream, revision) => {
    from.push(revision);
    return read(stream, revision);
  };
  return from;
}

test('only what is new is read', async () => {
  const { log, start } = processes();
  const from = reads(log);
  const memories = start();
  await memories.save('a', value(1), call('1'), signal);
  await memories.load('a', 'k', signal);
  await start().save('a', value(2), call('2'), signal);
  await memories.load('a', 'k', signal);
  await memories.load('a', 'k', signal);
  expect(from).toEqual([1, 2, 1, 2, 3]);
});

test('thousands of agents that remember a little are kept, in whatever turn they are asked', async () => {
  const { log, start } = processes();
  const memories = start();
  const names = Array.from({ length: 5_000 }, (_, index) => `agent-${index}`);
  for (const name of names) await memories.save(name, value('x'.repeat(1_000)), call('1'), signal);
  const from = reads(log);
  for (const name of names) expect((await memories.load(name, 'k', signal)).isError).toBe(false);
  expect(new Set(from)).toEqual(new Set([2]));
});

test('of those that do not fit the ones used last are kept, counted with all that they hold', async () => {
  const { log, start } = processes();
  const memories = start(600_000);
  const fill = (agent: string, count: number, characters: number) =>
    Array.from({ length: count }, (_, n) => n).reduce(
      (before, n) =>
        before.then(async () => {
          const saved = await memories.save(agent, value('x'.repeat(characters), `k${n}`), call(`${n}`), signal);
          expect(saved.isError).toBe(false);
        }),
      Promise.resolve(),
    );
  // The same room once by large values, and once by many keys.
  await fill('large', 4, 60_000);
  await fill('many', 300, 100);
  await memories.load('large', 'k1', signal);
  const from = reads(log);
  await fill('more', 4, 60_000);
  await memories.load('large', 'k1', signal);
  await memories.load('many', 'k1', signal);
  // `large` was used later than `many`, which had to go.
  expect(from.slice(-2)).toEqual([5, 1]);
  await memories.load('many', 'k1', signal);
  expect(from.at(-1)).toBe(301);
});
