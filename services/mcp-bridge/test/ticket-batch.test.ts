import { create } from '@bufbuild/protobuf';
import { unavailable } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import { store } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { TicketBatch } from '../src/attempts/ticket-batch.ts';

const call = (callId: string) => ({ conversationId: 'c', runId: 'r', callId });
const alive = new AbortController().signal;

/** A store that answers when it is told to, and a clock that stands until it is told to go on. */
function paused() {
  const requests: { readonly calls: readonly string[]; answer(by?: number): void; fail(error: Error): void }[] = [];
  const sleeping: (() => void)[] = [];
  const readTickets = ({ calls = [] }: { calls?: { callId?: string }[] }) =>
    new Promise<store.ReadTicketsResponse>((resolve, reject) => {
      const ids = calls.map(({ callId = '' }) => callId);
      requests.push({
        calls: ids,
        answer: (by = ids.length) =>
          resolve(
            create(store.ReadTicketsResponseSchema, {
              answers: ids.slice(0, by).map((tool) => ({ ticket: { tool } })),
            }),
          ),
        fail: reject,
      });
    });
  const clock = {
    sleep: (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        sleeping.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  } as Clock;
  const batch = new TicketBatch({ store: { readTickets } as never, clock, timeoutMs: 1_000 });
  const read = async (id: string, signal = alive) => (await batch.read(call(id), signal)).ticket?.tool;
  const wake = () => {
    for (const go of sleeping.splice(0)) go();
  };
  return { requests, read, wake };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a look is sent at once, and those that come meanwhile go together after it', async () => {
  const { requests, read } = paused();
  const answers = ['a', 'b', 'c'].map((id) => read(id));
  expect(requests.map(({ calls }) => calls)).toEqual([['a']]);
  requests[0]?.answer();
  await settle();
  expect(requests.map(({ calls }) => calls)).toEqual([['a'], ['b', 'c']]);
  requests[1]?.answer();
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c']);
});

test('one request is about 64 calls at most', async () => {
  const { requests, read } = paused();
  const ids = Array.from({ length: 70 }, (_, index) => `call-${index}`);
  const answers = ids.map((id) => read(id));
  for (let request = 0; request < 3; request += 1) {
    requests[request]?.answer();
    await settle();
  }
  expect(requests.map(({ calls }) => calls.length)).toEqual([1, 64, 5]);
  expect(await Promise.all(answers)).toEqual(ids);
});

test('a store that does not answer holds up the others no longer than a moment', async () => {
  const { requests, read, wake } = paused();
  const [, second] = [read('a').catch(() => undefined), read('b')];
  await settle();
  expect(requests).toHaveLength(1);
  wake();
  await settle();
  requests[1]?.answer();
  expect(await second).toBe('b');
});

test('a request that fails, or tells of too few, fails those that it is about and nobody else', async () => {
  const { requests, read } = paused();
  const [first, second, third] = [read('a'), read('b'), read('c')];
  requests[0]?.fail(unavailable('away'));
  await expect(first).rejects.toThrow('away');
  await settle();
  requests[1]?.answer(1);
  await expect(second).rejects.toThrow('the store told of 1 calls, and was asked about 2');
  await expect(third).rejects.toMatchObject({ kind: 'unavailable' });
  await settle();
  const fourth = read('d');
  requests[2]?.answer();
  expect(await fourth).toBe('d');
});

test('whoever leaves is not looked up any more, and hears at once', async () => {
  const { requests, read } = paused();
  const gone = new AbortController();
  const [, left, stays] = [read('a'), read('b', gone.signal), read('c')];
  gone.abort(new Error('canceled'));
  await expect(left).rejects.toThrow('canceled');
  await expect(read('d', gone.signal)).rejects.toThrow('canceled');
  requests[0]?.answer();
  await settle();
  expect(requests[1]?.calls).toEqual(['c']);
  requests[1]?.answer();
  expect(await stays).toBe('c');
});
