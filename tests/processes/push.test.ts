/** Who tells the addresses of a conversation: one at a time, over a real store, whatever becomes of the one. */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationStream, decodeRecorded, type Fact, fact, newEvents, pushStream, sha256Hex } from '@stopgo/core';
import { type Clock, Heartbeat, storeBeat, storeLog, systemClock } from '@stopgo/log';
import {
  attemptsMax,
  type Delivered,
  type Delivery,
  heldPauseMsMax,
  Outbox,
  type OutboxPorts,
  PushLog,
  Sealer,
  SendSlots,
} from '@stopgo/orchestrator';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of undo.splice(0).reverse()) await act();
});

const quiet = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
const ttlMs = 300;
const sealer = new Sealer(randomBytes(32), randomBytes);
const user = { kind: 'user', id: 'ann' } as const;
const noSecrets = { token: '', scheme: '', credentials: '' };
const settings = { configId: '', url: 'https://a.example/', ...noSecrets, protocolVersion: '1.0' };

let client: Client<typeof store.StoreService>;
let conversationId: string;
let revision: number;

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-push-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const running = await startStore({ dataDir: folder, log: quiet, instancesComplete: false });
  undo.push(running.stop);
  client = createInProcessClient(store.StoreService, running.service);
  [conversationId, revision] = [randomUUID(), 0];
  await append(fact('conversationCreated', { conversationId, sessionId: 's', agentName: 'demo' }));
});

async function append(...facts: readonly Fact[]): Promise<void> {
  const frame = { now: Date.now(), actor: user, causationId: '', correlationId: 's' };
  const ids = facts.map(() => randomUUID());
  const events = newEvents(facts, frame, ids);
  const stream = conversationStream(conversationId);
  await client.append({ stream, expectedRevision: revision, events, idempotencyKey: randomUUID() });
  revision += facts.length;
}

async function runBegins(): Promise<string> {
  const [runId, digest] = [randomUUID(), sha256Hex('definition')];
  const owner = { instance: 'orchestrator-1', epoch: 1 };
  await append(
    fact('userMessageReceived', { runId, text: 'hello' }),
    fact('runStarted', { runId, agentDigest: digest, toolsetDigest: digest, owner }),
  );
  return runId;
}

/** A run begins, and ends. Two changes of the task's state. */
const aRun = async () => append(fact('runFailed', { runId: await runBegins(), text: 'no' }));

type Deliver = (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
const taken: Delivered = { kind: 'taken' };

/** A process that may tell. `freeze`: it is not heard of any more, and knows nothing of that. */
async function process(
  instance: string,
  deliver: Deliver,
  clock: Clock = systemClock,
  hasKey = true,
  views = client,
  limits: Pick<OutboxPorts, 'conversationsMax' | 'slots'> = {},
) {
  const beat = storeBeat(client, ttlMs);
  const heartbeat = new Heartbeat({ beat, clock: systemClock, ttlMs, instance, role: 'orchestrator' });
  await heartbeat.renew();
  const beating = heartbeat.run(() => undefined);
  const log = storeLog(client);
  const ports = { log, store: views, clock, newId: randomUUID, random: () => 0.5 };
  const outbox = new Outbox({
    ...ports,
    ...limits,
    instance,
    liveness: heartbeat,
    logger: quiet,
    sealer: () => (hasKey ? sealer : undefined),
    allowPrivate: false,
    pushes: new PushLog(ports),
    deliver,
    onFault: (error) => {
      throw error;
    },
  });
  undo.push(async () => {
    heartbeat.stop();
    await outbox.stop();
    await beating;
  });
  return { outbox, freeze: () => heartbeat.stop() };
}

const keyOf = ({ headers }: Delivery): string => headers['Idempotency-Key'] ?? '';
const add = (outbox: Outbox, more: Partial<typeof settings> = {}) =>
  outbox.set(conversationId, outbox.check({ ...settings, ...more }), user, revision);
const configs = async () => (await client.getPush({ conversationId })).push?.configs ?? [];
const released = () =>
  vi.waitFor(
    async () => {
      const { push } = await client.getPush({ conversationId });
      expect([push?.ownerInstance, push?.settledRevision]).toEqual(['', revision]);
    },
    { timeout: 20_000, interval: 10 },
  );

async function pushFacts(): Promise<readonly Fact[]> {
  const { events } = await client.readStream({ stream: pushStream(conversationId) });
  return events.map((event) => decodeRecorded(event).fact);
}

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
  expect(told).toEqual([3, 4].map((at) => `${conversationId}:${at}:0`));
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
  await vi.waitFor(() => expect(byOne.length).toBe(1));
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
    if (told.length === 2) await elsewhere.outbox.set(conversationId, late, user, 2);
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
        pauses.push(Math.round(ms / 100) * 100);
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
  expect((await client.listDuePushes({})).pushes).toEqual([]);
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
  const left = async () => (await client.listDuePushes({})).pushes;
  await vi.waitFor(async () => {
    expect(await configs()).toMatchObject([{ failures: 4 }, { failures: 0, deliveries: 2 }]);
    expect(await left()).toMatchObject([{ conversationId, ownerInstance: '' }]);
  });
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

test('conversations of a host that answers nothing leave a place to those of others', async () => {
  let haveWaited: () => void = () => undefined;
  const patience = new Promise<void>((resolve) => {
    haveWaited = resolve;
  });
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      const isOver = once(signal ?? new AbortController().signal, 'abort');
      await (ms === heldPauseMsMax ? Promise.race([patience, isOver]) : isOver);
      signal?.throwIfAborted();
    },
  };
  const told: string[] = [];
  const deliver: Deliver = async ({ url }, signal) => {
    told.push(new URL(url).hostname);
    if (url.includes('silent')) await once(signal, 'abort');
    return taken;
  };
  const slots = new SendSlots(8, 1, 1);
  const { outbox } = await process('one', deliver, clock, true, client, { conversationsMax: 3, slots });
  const next = async (...hosts: readonly string[]) => {
    [conversationId, revision] = [randomUUID(), 0];
    await append(fact('conversationCreated', { conversationId, sessionId: 's', agentName: 'demo' }));
    for (const host of hosts) await add(outbox, { url: `https://${host}.example/` });
    await append(fact('runFailed', { runId: await runBegins(), text: 'no' }));
    await outbox.sweep();
    return conversationId;
  };
  const isTold = (host: string) => told.filter((one) => one === `${host}.example`).length === 2;
  const sweepUntil = (isSo: () => boolean) =>
    vi.waitFor(
      async () => {
        await outbox.sweep();
        expect(isSo()).toBe(true);
      },
      { timeout: 10_000 },
    );
  const owners = async () => {
    const { pushes } = await client.listDuePushes({});
    return new Map(pushes.map((one) => [one.conversationId, one.ownerInstance]));
  };
  // One is sent to, one waits for it, and gives way after a while; one more would only wait.
  const silent = [await next('silent'), await next('silent')];
  await sweepUntil(() => slots.isCrowded('https://silent.example/'));
  silent.push(await next('silent'));
  await next('well-0');
  await sweepUntil(() => isTold('well-0'));
  conversationId = silent[2] ?? '';
  expect((await pushFacts()).map((one) => one.case)).toEqual(['pushConfigured']);
  haveWaited();
  for (const host of ['well-1', 'well-2', 'well-3']) {
    await next(host, 'silent');
    await sweepUntil(() => isTold(host));
  }
  await vi.waitFor(
    async () => {
      const owned = await owners();
      expect([silent[1], silent[2], conversationId].map((id) => owned.get(id ?? ''))).toEqual(['', '', '']);
    },
    { timeout: 10_000 },
  );
  expect(told.filter((one) => one === 'silent.example').length).toBe(1);
});

test('an address that changes while the one before is being told is told the same', async () => {
  const elsewhere = await process('elsewhere', async () => taken);
  const changed = elsewhere.outbox.check({ ...settings, configId: 'a', url: 'https://new.example/' });
  const told: string[] = [];
  const one = await process('one', async (delivery) => {
    told.push(`${new URL(delivery.url).hostname} ${keyOf(delivery).split(':')[1]}`);
    if (told.length === 1) await elsewhere.outbox.set(conversationId, changed, user, 1);
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
  const views: typeof client = {
    ...client,
    getConversation: async (request, options) => {
      if (old === undefined || request.minRevision) return client.getConversation(request, options);
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
    await one.outbox.set(conversationId, late, user, 1);
    await append(fact('userMessageReceived', { runId: randomUUID(), text: 'hello again' }));
    return taken;
  };
  const one = await process('one', deliver, systemClock, true, views);
  const late = one.outbox.check({ ...settings, url: 'https://late.example/' });
  const runId = await runBegins();
  const running = await client.getConversation({ conversationId });
  await one.outbox.set(conversationId, one.outbox.check(settings), user, 2);
  await vi.waitFor(() => expect(deliveries).toBe(1));
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
  await vi.waitFor(async () => expect(await configs()).toMatchObject([{ failures: 1 }]));
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

test('an address that does not answer holds up no other, and one that is removed is told no more', async () => {
  const told: string[] = [];
  const deliver: Deliver = async ({ url }, signal) => {
    told.push(url);
    if (url.includes('slow')) await once(signal, 'abort');
    signal.throwIfAborted();
    return url.includes('gone') ? { kind: 'failed', reason: 'it answered with HTTP 410', gone: true } : taken;
  };
  const { outbox } = await process('one', deliver);
  for (const host of ['slow', 'gone', 'removed', 'quick']) await add(outbox, { url: `https://${host}.example/` });
  const removed = (await configs()).find(({ url }) => url.includes('removed'));
  await outbox.remove(conversationId, removed?.id ?? '', user);
  await aRun();
  await outbox.sweep();
  await vi.waitFor(() => expect(told.filter((url) => url.includes('quick')).length).toBe(2));
  await vi.waitFor(async () => expect((await configs()).map(({ givenUp }) => givenUp)).toEqual([false, true, false]));
  expect(told.filter((url) => url.includes('gone')).length).toBe(1);
  expect(told.filter((url) => url.includes('removed'))).toEqual([]);
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
  const place = { conversationId, configId: config?.id ?? '', url: config?.url ?? '' };
  const sealed = config?.sealed ?? new Uint8Array();
  expect(sealer.open(sealed, place)).toEqual({ token: 'token-1', credentials: 'credentials-1' });
  for (const moved of [{ configId: 'b' }, { conversationId: randomUUID() }, { url: 'https://b.example/' }])
    expect(sealer.open(sealed, { ...place, ...moved })).toBeUndefined();
  expect(new Sealer(randomBytes(32), randomBytes).open(sealed, place)).toBeUndefined();
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
