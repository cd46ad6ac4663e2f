import type { Clock } from '@stopgo/log';
import type { store as wire } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { storeDeltas } from '../src/deltas.ts';

/** Deltas on a clock that is set by hand; what arrives is told as conversation and text. `watchers` is what the store says of each. */
function deltas({ watchers = 0 } = {}) {
  let now = 0;
  const sent: string[] = [];
  const clock = { monotonic: () => now, sleep: async () => undefined } as unknown as Clock;
  const store = {
    publishDelta: async ({ delta }: { delta: { conversationId: string; text: string } }) => {
      sent.push(`${delta.conversationId} ${delta.text}`);
      return { watchers };
    },
  } as unknown as Client<typeof wire.StoreService>;
  const { publish, watched } = storeDeltas(store, clock);
  return {
    sent,
    watched,
    pass: (ms: number) => {
      now += ms;
    },
    say: async (conversationId: string, text: string) => {
      publish({ conversationId, runId: conversationId, stepId: 'root', turn: 1, attempt: 1, text, offset: 0 });
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('what nobody watches is not sent for a second, and each conversation has its own', async () => {
  const { sent, watched, pass, say } = deltas();
  watched('a', 0);
  pass(600);
  watched('b', 0);
  pass(600);
  await say('a', 'after 1.2 s');
  await say('b', 'after 0.6 s');
  watched('b', 1);
  await say('b', 'watched now');
  expect(sent).toEqual(['a after 1.2 s', 'b watched now']);
});

test('one that is found unwatched again stays quiet from then on, whoever came in between', async () => {
  const { sent, watched, pass, say } = deltas();
  watched('a', 0);
  pass(600);
  watched('b', 0);
  pass(300);
  watched('a', 0);
  pass(800);
  watched('c', 0);
  for (const conversation of ['a', 'b', 'c']) await say(conversation, 'says');
  expect(sent).toEqual(['b says']);
});
