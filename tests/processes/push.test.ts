/** Who tells the addresses of a conversation: one at a time, over a real store, whatever becomes of the one. */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fact } from '@stopgo/core';
import { type Clock, systemClock } from '@stopgo/log';
import { attemptsMax, type Delivery, PushSealer } from '@stopgo/orchestrator';
import type { store } from '@stopgo/proto';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  add,
  append,
  aRun,
  at,
  beginsAnew,
  configs,
  type Deliver,
  keyOf,
  process,
  pushFacts,
  released,
  runBegins,
  sealer,
  settings,
  taken,
  user,
} from './telling.ts';

beforeEach(beginsAnew);

test('of two that find the same work one does it', async () => {
  const told: string[] = [];
  const deliver: Deliver = async (delivery) => {
    told.push(keyOf(delivery));
    return taken;
  };
  const [one, other] = [await process('one', deliver), await process('other', deliver)];
  await add(one.outbox);
  await aRun();
  await Promise.all([one.outbox.sweep(), other.outbox.sweep(), one.outbox.sweep()]);
  await released();
  expect(told).toEqual([3, 4].map((revision) => `${at.conversationId}:${revision}:0`));
  expect((await pushFacts()).filter((one) => one.case === 'pushClaimed').length).toBe(1);
});

test('whoever froze after telling is followed, and what it says later counts no more', async () => {
  let thaw: () => void = () => undefined;
  const frozen = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  const byOne: string[] = [];
  const one = await process('one', async (delivery) => {
    byOne.push(keyOf(delivery));
    await frozen;
    return taken;
  });
  await add(one.outbox);
  await aRun();
  await one.outbox.sweep();
  await vi.waitFor(() => expect(byOne.length).toBe(1), 30_000);
  // Somebody who hears of it elsewhere leaves it to the one that is alive.
  const third = await process('third', async () => taken);
  await add(third.outbox);
  one.freeze();
  const byOther: string[] = [];
  const other = await process('other', async (delivery) => {
    byOther.push(keyOf(delivery));
    return taken;
  });
  // Nobody takes over from one that may be alive.
  await other.outbox.sweep();
  expect(byOther).toEqual([]);
  await vi.waitFor(
    async () => {
      await other.outbox.sweep();
      expect(byOther.length).toBe(2);
    },
    { timeout: 10_000, interval: 20 },
  );
  await released();
  thaw();
  await one.outbox.stop();
  expect(byOther[0]).toBe(byOne[0]);
  expect(byOne.length).toBe(1);
  const attempts = (await pushFacts()).flatMap((one) => (one.case === 'pushAttempted' ? [one.value.instance] : []));
  expect(attempts).toEqual(['other', 'other']);
  const claims = (await pushFacts()).flatMap((one) => (one.case === 'pushClaimed' ? [one.value.instance] : []));
  expect(claims).toEqual(['one', 'other']);
});

test('an address that is added elsewhere while the last one is being told is told too', async () => {
  const elsewhere = await process('elsewhere', async () => taken);
  const late = elsewhere.outbox.check({ ...settings, url: 'https://late.example/' });
  const told: string[] = [];
  const one = await process('one', async (delivery) => {
    told.push(`${new URL(delivery.url).hostname} ${keyOf(delivery).split(':')[1]}`);
    if (told.length === 2) await elsewhere.outbox.set(at.conversationId, late, user, 2);
    return taken;
  });
  await add(one.outbox);
  await aRun();
  await one.outbox.sweep();
  await released();
  expect(told).toEqual(['a.example 3', 'a.example 4', 'late.example 3', 'late.example 4']);
});

test('what fails is tried again with longer and longer pauses, given up in the end, and told again when it is made anew', async () => {
  const pauses: number[] = [];
  // Pauses are over at once, except those of the follower.
  let aheadMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      if (ms > 800) {
        // They are counted from the failure, which was a moment ago.
        pauses.push(Math.round(ms / 500) * 500);
        aheadMs += ms;
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  let isBack = false;
  const told: string[] = [];
  const deliver: Deliver = async (delivery) => {
    if (!isBack) return { kind: 'failed', reason: 'it answered with HTTP 500' };
    told.push(keyOf(delivery));
    return taken;
  };
  const { outbox } = await process('one', deliver, clock);
  await add(outbox);
  await aRun();
  await vi.waitFor(
    async () => {
      await outbox.sweep();
      expect(await configs()).toMatchObject([{ givenUp: true, failures: attemptsMax }]);
    },
    { timeout: 10_000, interval: 10 },
  );
  expect((await configs())[0]?.failure).toBe('it answered with HTTP 500');
  // Three quarters of 2, 4, 8 … seconds, and at most of five minutes.
  expect(pauses.slice(0, 3)).toEqual([1_500, 3_000, 6_000]);
  expect(pauses.at(-1)).toBe(225_000);
  await released();
  expect((await at.client.listDuePushes({})).pushes).toEqual([]);
  isBack = true;
  await aRun();
  await outbox.sweep();
  expect(told).toEqual([]);
  await add(outbox);
  await aRun();
  await outbox.sweep();
  await released();
  expect(told.length).toBe(2);
});

test('while all that is left waits for a long pause nobody holds the conversation, and it is taken up when the pause is over', async () => {
  let aheadMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + aheadMs,
    monotonic: () => systemClock.monotonic() + aheadMs,
    // Short pauses are over at once, long ones never.
    sleep: async (ms, signal) => {
      if (ms > 4_000) await once(signal ?? new AbortController().signal, 'abort');
      signal?.throwIfAborted();
      aheadMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  let isBack = false;
  const told: string[] = [];
  const { outbox } = await process(
    'one',
    async ({ url }) => {
      told.push(new URL(url).hostname);
      return isBack || url.includes('well') ? taken : { kind: 'failed', reason: 'it answered with HTTP 500' };
    },
    clock,
  );
  await add(outbox);
  await add(outbox, { url: 'https://well.example/' });
  await aRun();
  await outbox.sweep();
  const left = async () => (await at.client.listDuePushes({})).pushes;
  await vi.waitFor(async () => {
    expect(await configs()).toMatchObject([{ failures: 4 }, { failures: 0, deliveries: 2 }]);
    expect(await left()).toMatchObject([{ conversationId: at.conversationId, ownerInstance: '' }]);
  }, 30_000);
  isBack = true;
  const before = told.length;
  await outbox.sweep();
  expect((await left())[0]?.ownerInstance).toBe('');
  expect(told.length).toBe(before);
  aheadMs += 8_000;
  await outbox.sweep();
  await released();
  // What one was told is not told again because the other was not.
  expect(told.slice(before)).toEqual(['a.example', 'a.example']);
});

test('an address that changes while the one before is being told is told the same', async () => {
  const elsewhere = await process('elsewhere', async () => taken);
  const changed = elsewhere.outbox.check({ ...settings, configId: 'a', url: 'https://new.example/' });
  const told: string[] = [];
  const one = await process('one', async (delivery) => {
    told.push(`${new URL(delivery.url).hostname} ${keyOf(delivery).split(':')[1]}`);
    if (told.length === 1) await elsewhere.outbox.set(at.conversationId, changed, user, 1);
    return taken;
  });
  await add(one.outbox, { configId: 'a' });
  await aRun();
  await one.outbox.sweep();
  await released();
  expect(told).toEqual(['a.example 3', 'new.example 3', 'new.example 4']);
});

test('a view that is older than what was heard of takes nothing back', async () => {
  let old: store.GetConversationResponse | undefined;
  const views: typeof at.client = {
    ...at.client,
    getConversation: async (request, options) => {
      if (old === undefined || request.minRevision) return at.client.getConversation(request, options);
      // Meanwhile the follower hears of the rest.
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return old;
    },
  };
  let deliveries = 0;
  const deliver: Deliver = async () => {
    deliveries += 1;
    if (deliveries !== 2) return taken;
    old = running;
    // The one that tells has to look again: an address is behind what it looked at. The last event changes no state of the task.
    await one.outbox.set(at.conversationId, late, user, 1);
    await append(fact('userMessageReceived', { runId: randomUUID(), text: 'hello again' }));
    return taken;
  };
  const one = await process('one', deliver, systemClock, true, views);
  const late = one.outbox.check({ ...settings, url: 'https://late.example/' });
  const runId = await runBegins();
  const running = await at.client.getConversation({ conversationId: at.conversationId });
  await one.outbox.set(at.conversationId, one.outbox.check(settings), user, 2);
  await vi.waitFor(() => expect(deliveries).toBe(1), 30_000);
  await append(fact('runFailed', { runId, text: 'no' }));
  await released();
  expect(deliveries).toBe(4);
});

test('an attempt that failed is remembered by whoever goes on', async () => {
  const failing: Deliver = async () => ({ kind: 'failed', reason: 'it answered with HTTP 500' });
  const one = await process('one', failing);
  await add(one.outbox);
  await aRun();
  await one.outbox.sweep();
  await vi.waitFor(async () => expect(await configs()).toMatchObject([{ failures: 1 }]), 30_000);
  await one.outbox.stop();
  one.freeze();
  const other = await process('other', async () => taken);
  await vi.waitFor(
    async () => {
      await other.outbox.sweep();
      expect(await configs()).toMatchObject([{ failures: 0, deliveries: 2 }]);
    },
    { timeout: 10_000, interval: 20 },
  );
  const attempts = (await pushFacts()).flatMap((one) => (one.case === 'pushAttempted' ? [one.value.attempt] : []));
  expect(attempts).toEqual([1, 2, 1]);
});

test('credentials are sealed for one config at one address, and cannot be kept without a key', async () => {
  const shown: Delivery[] = [];
  const { outbox } = await process('one', async (delivery) => {
    shown.push(delivery);
    return taken;
  });
  await add(outbox, { token: 'token-1', scheme: 'Bearer', credentials: 'credentials-1' });
  // The same again, though sealed anew, is no event.
  await add(outbox, { token: 'token-1', scheme: 'Bearer', credentials: 'credentials-1' });
  expect((await pushFacts()).length).toBe(1);
  const [config] = await configs();
  const place = { conversationId: at.conversationId, configId: config?.id ?? '', url: config?.url ?? '' };
  const sealed = config?.sealed ?? new Uint8Array();
  expect(sealer.open(sealed, place)).toEqual({ token: 'token-1', credentials: 'credentials-1' });
  for (const moved of [{ configId: 'b' }, { conversationId: randomUUID() }, { url: 'https://b.example/' }])
    expect(sealer.open(sealed, { ...place, ...moved })).toBeUndefined();
  expect(new PushSealer(randomBytes(32), randomBytes).open(sealed, place)).toBeUndefined();
  await aRun();
  await outbox.sweep();
  await released();
  expect(shown[0]?.headers).toMatchObject({
    Authorization: 'Bearer credentials-1',
    'X-A2A-Notification-Token': 'token-1',
  });
  const keyless = await process('keyless', async () => taken, systemClock, false);
  expect(() => keyless.outbox.check({ ...settings, token: 'token-1' })).toThrow(/STOPGO_PUSH_KEY/);
});
