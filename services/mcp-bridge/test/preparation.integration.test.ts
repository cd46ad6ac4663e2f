// A call is prepared while it waits for its turn: what was found out early, and what may have changed by the time that it is sent.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unavailable } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { bridgeBounds } from '../src/bounds.ts';
import {
  eventually,
  finishedOf,
  refusedOf,
  scriptedServer,
  startBridge,
  type TestBridgeOptions,
  temporaryFolder,
} from './support/bridge.ts';
import { MemoryStore } from './support/memory-store.ts';
import { ttlMs, watched } from './support/watched.ts';

const { RefusedReason } = mcp;
const args = { text: 'x' };
/** Longer than any test takes. */
const longMs = 600_000;

/**
 * A bridge between processes, at whose server a call runs until `letGo`; approved calls of `erase` can be sent behind it. A look at the
 * record may be `freshMs` old.
 */
async function behindAnother(freshMs: number, options: TestBridgeOptions = {}, more = {}) {
  const log = options.store ?? new MemoryStore();
  const file = join(temporaryFolder(), 'go');
  const server = scriptedServer('s', [`--held=${file}`], more);
  const bounds = { recordFreshMs: freshMs, recordWaitMs: 50, recordAskMs: 20, ...options.bounds };
  const started = await startBridge([server.config], { isStoreFar: true, ...options, store: log, bounds });
  const { client, keyOf, send, approval, instance } = started;
  const { outcome } = await send('held', {}, { call: 'first' });
  await eventually(() => server.calls('held') === 1, 'the first call runs');
  const letGo = async () => {
    writeFileSync(file, '');
    finishedOf(await outcome);
  };
  const approved = await approval('erase', args);
  const behind = (call: string) => send('erase', args, { call, ...approved });
  const isWaiting = async (call: string) => {
    const { state } = await client.fenceCall({ key: keyOf(call), instance });
    return state.case === 'running' && state.value.waiting;
  };
  /** The approval does not stand for the call any more. */
  const voided = (call: string) => {
    const given = { attempt: 1, instance, approvalId: approved.approvalId, digest: approved.digest };
    Object.assign(log.started(keyOf(call), given).approval ?? {}, { void: true });
  };
  return { ...started, log, server, letGo, behind, isWaiting, voided };
}

const looksFor = ({ asked }: MemoryStore, call: string) => asked.filter((one) => one === call).length;

/** A promise to hold something with, and what lets it go. */
function held() {
  let goOn: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  return { until, goOn };
}

test('a call that waits for its turn is looked up meanwhile, and not once more if its turn comes soon', async () => {
  const { behind, isWaiting, letGo, log } = await behindAnother(longMs);
  const { outcome: second } = await behind('second');
  await eventually(() => looksFor(log, 'second') === 1, 'the look');
  expect(await isWaiting('second')).toBe(true);
  await letGo();
  finishedOf(await second);
  expect(looksFor(log, 'second')).toBe(1);
  // By the request that takes several.
  expect(log.askedTogether).toContainEqual(['second']);
});

test('nothing of a call that waits for its turn reaches a server that takes one at a time, its list included', async () => {
  let now = 0;
  const { behind, isWaiting, letGo, log, server } = await behindAnother(longMs, { clock: () => now });
  // Its list is too old for any call.
  now = longMs;
  const { outcome: second } = await behind('second');
  await eventually(() => looksFor(log, 'second') === 1, 'the look');
  expect(await isWaiting('second')).toBe(true);
  await letGo();
  finishedOf(await second);
  const told = server
    .journal()
    .flatMap(({ began, ended, method }) => began ?? (ended && `end of ${ended}`) ?? method ?? []);
  expect(told.slice(told.indexOf('held'))).toEqual(['held', 'end of held', 'tools/list', 'erase', 'end of erase']);
});

test('the list for a call that waits is read beside those that run, where a server takes several', async () => {
  let now = 0;
  const { behind, send, letGo, server } = await behindAnother(longMs, { clock: () => now }, { callsAtOnce: 2 });
  await send('hang_look', {}, { call: 'other' });
  await eventually(() => server.calls('hang_look') === 1, 'the other call runs');
  now = longMs;
  const { outcome: second } = await behind('second');
  const lists = () => server.journal().filter(({ method }) => method === 'tools/list').length;
  await eventually(() => lists() === 2, 'the list is read again');
  await letGo();
  finishedOf(await second);
  expect(lists()).toBe(2);
});

test.each<[string, TestBridgeOptions, passedMs: number, looks: number]>([
  ['between processes, a look that is 100 ms old is repeated', {}, 100, 2],
  ['in one process, it is looked up only when its turn has come', { isStoreFar: false }, 0, 1],
])('%s: an approval that has become void lets nothing run', async (_where, options, passedMs, looks) => {
  const freshMs = bridgeBounds.recordFreshMs;
  let now = 0;
  const clock = () => now;
  const { behind, isWaiting, letGo, log, server, voided } = await behindAnother(freshMs, { clock, ...options });
  const { outcome: second } = await behind('second');
  await eventually(() => isWaiting('second'), 'it waits');
  expect(looksFor(log, 'second')).toBe(looks - 1);
  voided('second');
  now += passedMs;
  await letGo();
  expect(refusedOf(await second)).toMatchObject({
    reason: RefusedReason.NOT_APPROVED,
    message: 'the approval allows nothing any more, because the tool changed after it',
  });
  expect([looksFor(log, 'second'), server.calls('erase')]).toEqual([looks, 0]);
});

test('a call that is canceled while it is prepared leaves no trace, and the next one has its turn', async () => {
  const log = new MemoryStore();
  const look = held();
  log.holds.set('second', look.until);
  const { behind, client, keyOf, instance, letGo, server, bridge } = await behindAnother(longMs, { store: log });
  const { outcome: second } = await behind('second');
  await eventually(() => looksFor(log, 'second') === 1, 'the look');
  const { outcome: third } = await behind('third');
  await client.cancelCall({ key: keyOf('second'), instance });
  expect(refusedOf(await second)).toMatchObject({
    reason: RefusedReason.FENCED,
    message: 'the call was canceled before it was sent; it did not run',
  });
  look.goOn();
  await letGo();
  finishedOf(await third);
  expect(server.calls('erase')).toBe(1);
  expect(bridge.describe()[0]).toMatchObject({ callsRunning: 0, callsWaiting: 0 });
});

test('a call that is canceled once its turn has come, while its early look is still waited for, is not sent', async () => {
  const log = new MemoryStore();
  const look = held();
  log.holds.set('second', look.until);
  const { behind, client, keyOf, isWaiting, instance, letGo, server } = await behindAnother(longMs, {
    store: log,
    bounds: { recordWaitMs: longMs, recordAskMs: longMs },
  });
  const { outcome: second } = await behind('second');
  await letGo();
  await eventually(async () => !(await isWaiting('second')), 'its turn has come');
  await client.cancelCall({ key: keyOf('second'), instance });
  look.goOn();
  expect(refusedOf(await second).reason).toBe(RefusedReason.FENCED);
  expect([looksFor(log, 'second'), server.calls('erase')]).toEqual([1, 0]);
});

test('a bridge that may have been taken for dead after it looked a call up does not send it', async () => {
  const { pass, heartbeat } = watched();
  const standing = heartbeat('bridge-1');
  await standing.renew();
  const { behind, letGo, log, server } = await behindAnother(longMs, { standing });
  const { outcome: second } = await behind('second');
  await eventually(() => looksFor(log, 'second') === 1, 'the look');
  pass(6 * ttlMs);
  await standing.renew();
  await letGo();
  expect(refusedOf(await second)).toMatchObject({
    reason: RefusedReason.FENCED,
    message: expect.stringContaining('taken for dead'),
  });
  expect([looksFor(log, 'second'), server.calls('erase')]).toEqual([1, 0]);
});

test('a tool that changed while its call waited is not called as the one that it was', async () => {
  const { behind, send, letGo, log, server } = await behindAnother(longMs);
  const change = await send('become', { text: JSON.stringify({ erase: { description: 'Erases everything' } }) });
  const { outcome: second } = await behind('second');
  await eventually(() => looksFor(log, 'second') === 1, 'the look');
  await letGo();
  finishedOf(await change.outcome);
  expect(refusedOf(await second)).toMatchObject({
    reason: RefusedReason.PIN_CHANGED,
    tool: { description: 'Erases everything' },
  });
  expect(server.calls('erase')).toBe(0);
});

test('a call that was prepared while its server ran is made by the process that came after it', async () => {
  const { behind, send, letGo, log, server } = await behindAnother(longMs, { bounds: { callWaitMs: longMs } });
  const crash = await send('crash', {});
  const { outcome: second } = await behind('second');
  await eventually(() => looksFor(log, 'second') === 1, 'the look');
  await letGo();
  expect((await crash.outcome).case).toBe('unknown');
  finishedOf(await second);
  expect([server.calls('erase'), server.pids().length]).toEqual([1, 2]);
});

test('while the log is away nothing is sent that waited; once it is back at the turn of a call, it is made', async () => {
  const { behind, letGo, log, server } = await behindAnother(0);
  log.away = unavailable('the log is away');
  const { outcome: second } = await behind('second');
  const { outcome: third } = await behind('third');
  await letGo();
  expect(refusedOf(await second).reason).toBe(RefusedReason.RECORD_UNAVAILABLE);
  expect(server.calls('erase')).toBe(0);
  log.away = undefined;
  finishedOf(await third);
  expect(server.calls('erase')).toBe(1);
});

test.each([
  ['is old', 1],
  ['is fresh', longMs],
])('an early look that failed and %s is no refusal of a call whose turn comes later', async (_, freshMs) => {
  const { behind, isWaiting, letGo, log, server } = await behindAnother(freshMs);
  log.away = unavailable('the log is away');
  const { outcome: second } = await behind('second');
  await eventually(() => isWaiting('second'), 'it waits');
  // It has given up by then.
  await new Promise((resolve) => setTimeout(resolve, 80));
  log.away = undefined;
  await letGo();
  finishedOf(await second);
  expect(server.calls('erase')).toBe(1);
});

test('calls keep their order, however long it takes to prepare one', async () => {
  const log = new MemoryStore();
  const look = held();
  log.holds.set('second', look.until);
  const bounds = { recordWaitMs: longMs, recordAskMs: longMs };
  const { send, isWaiting, letGo, server } = await behindAnother(longMs, { store: log, bounds });
  const second = await send('note', { text: '2' }, { call: 'second' });
  const third = await send('note', { text: '3' }, { call: 'third' });
  await letGo();
  await eventually(async () => !(await isWaiting('second')), 'the turn of the second has come');
  await eventually(() => looksFor(log, 'third') === 1, 'the third is prepared');
  expect(server.calls('note')).toBe(0);
  look.goOn();
  await Promise.all([second.outcome, third.outcome]);
  const order = server.journal().flatMap(({ began, args: given }) => (began === 'note' ? [given] : []));
  expect(order).toEqual([{ text: '2' }, { text: '3' }]);
});

test('the next call does not wait until a picture is kept that the one before it gave', async () => {
  const server = scriptedServer('s', [`--picture=${Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')}`]);
  const { execute, send, store, client, keyOf, instance } = await startBridge([server.config]);
  store.blobsTaken = false;
  const first = await send('picture', {}, { call: 'first' });
  await eventually(() => store.blobs.length > 0, 'the picture is put');
  finishedOf(await execute('note', args));
  await client.cancelCall({ key: keyOf('first'), instance });
  finishedOf(await first.outcome);
});
