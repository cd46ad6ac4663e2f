import type { Clock } from '@stopgo/log';
import type { store as wire } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { storeDeltas } from '../src/deltas.ts';

/** Deltas on a clock that is set by hand; what arrives is told as conversation and text. `watchers` is what the store says of each. */
function deltas({ watchers = 0 } = {}) {
  let now = 0;
  const sent: string[] = [];
  const sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((wake) => sleeping.push({ until: now + ms, wake }));
  const clock = { monotonic: () => now, sleep } as unknown as Clock;
  const pass = async (ms: number) => {
    now += ms;
    for (const { until, wake } of sleeping) if (until <= now) wake();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const store = {
    publishDelta: async ({ delta }: { delta: { conversationId: string; text: string } }) => {
      sent.push(`${delta.conversationId} ${delta.text}`);
      return { watchers };
    },
  } as unknown as Client<typeof wire.StoreService>;
  const { publish, watched, ended } = storeDeltas(store, clock);
  return {
    sent,
    watched,
    pass,
    say: (conversationId: string, text: string) =>
      publish({ conversationId, runId: conversationId, stepId: 'root', turn: 1, attempt: 1, text, offset: 0 }),
    end: async (conversationId: string) => {
      ended({ runId: conversationId, stepId: 'root', turn: 1, attempt: 1 });
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('what nobody watched is held back for a second, and then sent together', async () => {
  const { sent, watched, pass, say } = deltas();
  watched('a', 0);
  await pass(600);
  watched('b', 0);
  say('a', 'one ');
  say('b', 'first ');
  await pass(200);
  say('a', 'two');
  expect(sent).toEqual([]);
  await pass(200);
  expect(sent).toEqual(['a one two']);
  await pass(600);
  expect(sent).toEqual(['a one two', 'b first ']);
});

test('who opens a conversation meanwhile gets at once what was held back', async () => {
  const { sent, watched, pass, say } = deltas({ watchers: 1 });
  watched('a', 0);
  say('a', 'held');
  await pass(100);
  watched('a', 1);
  await pass(0);
  say('a', 'live');
  await pass(20);
  expect(sent).toEqual(['a held', 'a live']);
});

test('what is held back of an answer that ends is not sent: the answer is on the record', async () => {
  const { sent, watched, pass, say, end } = deltas();
  watched('a', 0);
  say('a', 'held');
  await end('a');
  await pass(2_000);
  say('a', 'more');
  await end('a');
  expect(sent).toEqual(['a more']);
});

test('one that is found unwatched again stays quiet from then on, whoever came in between', async () => {
  const { sent, watched, pass, say } = deltas();
  watched('a', 0);
  await pass(600);
  watched('b', 0);
  await pass(300);
  watched('a', 0);
  await pass(800);
  watched('c', 0);
  for (const conversation of ['a', 'b', 'c']) say(conversation, 'says');
  await pass(20);
  expect(sent).toEqual(['b says']);
});
