import { callDigest } from '@stopgo/core';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { eventually, finishedOf, refusedOf, scriptedServer, startBridge, unknownOf } from './support/bridge.ts';

const { RefusedReason } = mcp;

test('an attempt runs once, however often and however closely it is asked for', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  const ask = () => execute('slow', { text: '1' }, { call: 'one' });
  const together = await Promise.all([ask(), ask(), ask()]);
  const later = await ask();
  for (const outcome of [...together, later]) expect(finishedOf(outcome).content).toBe('slow 1');
  expect(server.calls('slow')).toBe(1);
  await execute('slow', { text: '1' }, { call: 'one', attempt: 2 });
  await execute('slow', { text: '1' }, { call: 'two' });
  expect(server.calls('slow')).toBe(3);
});

test('an attempt whose outcome is unknown does not run again either', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  const first = unknownOf(await execute('crash', {}, { call: 'one' }));
  await eventually(async () => (await execute('look', {})).case === 'finished', 'the server is back');
  expect(unknownOf(await execute('crash', {}, { call: 'one' }))).toBe(first);
  expect(server.calls('crash')).toBe(1);
});

test('a caller that leaves does not end its call, and a later one gets the outcome', async () => {
  const server = scriptedServer('s');
  const { client, execute, toolNamed, keyOf, instance, store } = await startBridge([server.config]);
  const { pin } = await toolNamed('slow');
  const caller = new AbortController();
  const request = { key: keyOf('one'), instance, server: 's', tool: 'slow', argumentsJson: '{"text":"1"}', pin };
  store.begin(keyOf('one'), { attempt: 1, instance, approvalId: '', digest: callDigest(request) });
  const left = client.execute(request, { signal: caller.signal });
  await eventually(() => server.calls('slow') === 1, 'the call runs');
  caller.abort();
  await expect(left).rejects.toMatchObject({ kind: 'canceled' });
  expect(finishedOf(await execute('slow', { text: '1' }, { call: 'one' })).content).toBe('slow 1');
  expect(server.calls('slow')).toBe(1);
});

test('fencing tells never seen, running and the outcome; what was fenced first never runs', async () => {
  const server = scriptedServer('s');
  const { client, execute, keyOf, instance } = await startBridge([server.config]);
  const fence = async (call: string) => (await client.fenceCall({ key: keyOf(call), instance })).state;

  expect((await fence('fenced')).case).toBe('neverSeen');
  expect((await fence('fenced')).case).toBe('neverSeen');
  const refused = refusedOf(await execute('note', {}, { call: 'fenced' }));
  expect(refused.reason).toBe(RefusedReason.FENCED);
  expect(server.calls('note')).toBe(0);

  const running = execute('slow', { text: '1' }, { call: 'seen' });
  await eventually(() => server.calls('slow') === 1, 'the call runs');
  expect((await fence('seen')).case).toBe('running');
  await running;
  expect(await fence('seen')).toMatchObject({
    case: 'outcome',
    value: { outcome: { case: 'finished', value: { content: 'slow 1' } } },
  });
});

test('outcomes are kept for a while and within a bound; that an attempt was made is kept for good', async () => {
  const server = scriptedServer('s');
  let now = 0;
  const { client, execute, keyOf, instance } = await startBridge([server.config], {
    clock: () => now,
    bounds: { outcomeKeepMs: 1_000, outcomeBytesMax: 3_000 },
  });
  const fence = async (call: string) => (await client.fenceCall({ key: keyOf(call), instance })).state.case;
  await execute('note', { text: 'x' }, { call: 'ran' });
  await execute('erase', {}, { call: 'refused' });
  now = 999;
  expect(await fence('ran')).toBe('outcome');
  now = 1_000;
  expect(await fence('ran')).toBe('forgotten');
  expect(unknownOf(await execute('note', { text: 'x' }, { call: 'ran' }))).toMatch(/is not kept any more/);
  expect(server.calls('note')).toBe(1);
  // It certainly did not run, so that one may start anew, under another attempt.
  expect(await fence('refused')).toBe('neverSeen');
  expect(refusedOf(await execute('erase', {}, { call: 'refused' })).reason).toBe(RefusedReason.FENCED);

  const long = { text: 'x'.repeat(2_000) };
  await execute('note', long, { call: 'big one' });
  expect(await fence('big one')).toBe('outcome');
  await execute('note', long, { call: 'big two' });
  expect(await fence('big one')).toBe('forgotten');
  expect(await fence('big two')).toBe('outcome');
});

test('a call that is safe to repeat is forgotten with its outcome, and runs when it is asked for again', async () => {
  const server = scriptedServer('s');
  let now = 0;
  const { execute } = await startBridge([server.config], { clock: () => now, bounds: { outcomeKeepMs: 1_000 } });
  finishedOf(await execute('look', {}, { call: 'one' }));
  now = 999;
  finishedOf(await execute('look', {}, { call: 'one' }));
  expect(server.calls('look')).toBe(1);
  now = 1_000;
  finishedOf(await execute('look', {}, { call: 'one' }));
  expect(server.calls('look')).toBe(2);
});

test('a call of another instance is refused in all three methods', async () => {
  const server = scriptedServer('s');
  const { client, execute, keyOf } = await startBridge([server.config]);
  const wrong = { kind: 'failed_precondition', details: { reason: 'wrong_instance', instance: 'bridge-1' } };
  await expect(execute('note', {}, { instance: 'bridge-0' })).rejects.toMatchObject(wrong);
  await expect(client.fenceCall({ key: keyOf('x'), instance: 'bridge-0' })).rejects.toMatchObject(wrong);
  await expect(client.cancelCall({ key: keyOf('x'), instance: '' })).rejects.toMatchObject(wrong);
  expect(server.calls('note')).toBe(0);
});

test('a running call that is canceled is told so to its server, and its outcome is unknown', async () => {
  const server = scriptedServer('s');
  const { client, execute, keyOf, instance } = await startBridge([server.config]);
  const running = execute('hang', {}, { call: 'one' });
  await eventually(() => server.calls('hang') === 1, 'the call runs');
  expect((await client.cancelCall({ key: keyOf('one'), instance })).found).toBe(true);
  expect(unknownOf(await running)).toBe(
    'the server "s" was asked to stop the call while it ran; whether the call took effect is not known',
  );
  await eventually(
    () => server.journal().some(({ method }) => method === 'notifications/cancelled'),
    'the server was told',
  );
  finishedOf(await execute('look', {}));
  expect(server.journal().filter(({ method }) => method === 'notifications/cancelled')).toHaveLength(1);
  expect((await client.cancelCall({ key: keyOf('one'), instance })).found).toBe(false);
});

test('a canceled call of a read-only tool is an error result', async () => {
  const server = scriptedServer('s');
  const { client, execute, keyOf, instance } = await startBridge([server.config]);
  const running = execute('hang_look', {}, { call: 'one' });
  await eventually(() => server.calls('hang_look') === 1, 'the call runs');
  await client.cancelCall({ key: keyOf('one'), instance });
  expect(finishedOf(await running)).toMatchObject({
    isError: true,
    content: expect.stringMatching(/^Tool execution failed: /),
  });
  expect(server.calls('hang_look')).toBe(1);
});

test('a call that is canceled while it waits for its turn never runs', async () => {
  const server = scriptedServer('s');
  const { client, execute, keyOf, instance } = await startBridge([server.config]);
  const running = execute('slow', { text: '1' });
  const waiting = execute('note', {}, { call: 'waiting' });
  await eventually(() => server.calls('slow') === 1, 'the first call runs');
  expect((await client.cancelCall({ key: keyOf('waiting'), instance })).found).toBe(true);
  expect(refusedOf(await waiting).reason).toBe(RefusedReason.FENCED);
  await running;
  await execute('look', {});
  expect(server.calls('note')).toBe(0);
});

test('what a canceled call still gives in time is its outcome', async () => {
  const server = scriptedServer('s');
  const { client, execute, keyOf, instance } = await startBridge([server.config], { bounds: { cancelWaitMs: 60_000 } });
  const running = execute('slow', { text: '1' }, { call: 'one' });
  await eventually(() => server.calls('slow') === 1, 'the call runs');
  await client.cancelCall({ key: keyOf('one'), instance });
  expect(finishedOf(await running)).toMatchObject({ content: 'slow 1', isError: false });
  expect(server.journal().map(({ method }) => method)).toContain('notifications/cancelled');
});

test('a canceled call is not waited for beyond its own limit', async () => {
  const server = scriptedServer('s', [], { timeoutMs: 500 });
  const { client, execute, keyOf, instance } = await startBridge([server.config], { bounds: { cancelWaitMs: 60_000 } });
  const running = execute('hang', {}, { call: 'one' });
  await eventually(() => server.calls('hang') === 1, 'the call runs');
  await client.cancelCall({ key: keyOf('one'), instance });
  expect(unknownOf(await running)).toMatch(/^the server "s" was asked to stop the call while it ran; whether/);
});
