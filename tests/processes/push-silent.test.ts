/** Addresses that do not answer: whoever tells of conversations goes on with those that do. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fact } from '@stopgo/core';
import { type Clock, systemClock } from '@stopgo/log';
import { heldPauseMsMax, SendSlots } from '@stopgo/orchestrator';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  add,
  append,
  aRun,
  at,
  beginsAnew,
  configs,
  type Deliver,
  process,
  pushFacts,
  runBegins,
  taken,
  user,
} from './telling.ts';

beforeEach(beginsAnew);

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
  const { outbox } = await process('one', deliver, clock, true, at.client, { conversationsMax: 3, slots });
  const next = async (...hosts: readonly string[]) => {
    [at.conversationId, at.revision] = [randomUUID(), 0];
    await append(fact('conversationCreated', { conversationId: at.conversationId, sessionId: 's', agentName: 'demo' }));
    for (const host of hosts) await add(outbox, { url: `https://${host}.example/` });
    await append(fact('runFailed', { runId: await runBegins(), text: 'no' }));
    await outbox.sweep();
    return at.conversationId;
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
    const { pushes } = await at.client.listDuePushes({});
    return new Map(pushes.map((one) => [one.conversationId, one.ownerInstance]));
  };
  // One is sent to, one waits for it, and gives way after a while; one more would only wait.
  const silent = [await next('silent'), await next('silent')];
  await sweepUntil(() => slots.isCrowded('https://silent.example/'));
  silent.push(await next('silent'));
  await next('well-0');
  await sweepUntil(() => isTold('well-0'));
  at.conversationId = silent[2] ?? '';
  expect((await pushFacts()).map((one) => one.case)).toEqual(['pushConfigured']);
  haveWaited();
  for (const host of ['well-1', 'well-2', 'well-3']) {
    await next(host, 'silent');
    await sweepUntil(() => isTold(host));
  }
  await vi.waitFor(
    async () => {
      const owned = await owners();
      expect([silent[1], silent[2], at.conversationId].map((id) => owned.get(id ?? ''))).toEqual(['', '', '']);
    },
    { timeout: 10_000 },
  );
  expect(told.filter((one) => one === 'silent.example').length).toBe(1);
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
  await outbox.remove(at.conversationId, removed?.id ?? '', user);
  await aRun();
  await outbox.sweep();
  await vi.waitFor(() => expect(told.filter((url) => url.includes('quick')).length).toBe(2), 30_000);
  await vi.waitFor(
    async () => expect((await configs()).map(({ givenUp }) => givenUp)).toEqual([false, true, false]),
    30_000,
  );
  expect(told.filter((url) => url.includes('gone')).length).toBe(1);
  expect(told.filter((url) => url.includes('removed'))).toEqual([]);
});
