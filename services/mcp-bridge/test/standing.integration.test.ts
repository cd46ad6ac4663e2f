import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { refuseSecondBridge } from '../src/index.ts';
import {
  eventually,
  finishedOf,
  httpServer,
  refusedOf,
  scriptedServer,
  startBridge,
  stdioServer,
} from './support/bridge.ts';
import { ttlMs, watched } from './support/watched.ts';

const { RefusedReason } = mcp;

test('a call that waits for its turn while the bridge is frozen for six times to live is never sent', async () => {
  const server = scriptedServer('s');
  const { pass, heartbeat } = watched();
  const standing = heartbeat('bridge-1');
  await standing.renew();
  const { client, execute, send, keyOf } = await startBridge([server.config], { standing });
  const first = execute('slow', { text: '1' }, { call: 'one' });
  await eventually(() => server.calls('slow') === 1, 'the first call runs');
  const second = await send('note', { text: 'x' }, { call: 'two' });
  expect((await client.fenceCall({ key: keyOf('two'), instance: 'bridge-1' })).state.case).toBe('running');
  pass(6 * ttlMs);
  await standing.renew();
  expect(finishedOf(await first).content).toBe('slow 1');
  const refused = refusedOf(await second.outcome);
  expect(refused.reason).toBe(RefusedReason.FENCED);
  expect(server.calls('note')).toBe(0);
  // What is known of its attempts is told under the former id too, but nothing new is made under it.
  const { state } = await client.fenceCall({ key: keyOf('one'), instance: 'bridge-1' });
  expect(state).toMatchObject({ case: 'outcome', value: { outcome: { case: 'finished' } } });
  expect(refusedOf(await execute('note', {}, { call: 'three' })).reason).toBe(RefusedReason.FENCED);
  const now = standing.instance;
  expect((await client.listTools({})).instance).toBe(now);
  expect(finishedOf(await execute('note', {}, { call: 'three', attempt: 2, instance: now })).isError).toBe(false);
  expect(server.calls('note')).toBe(1);
});

test('a call that comes while the last renewal is too old waits for the next one, and runs', async () => {
  const server = scriptedServer('s');
  const { pass, heartbeat } = watched();
  const standing = heartbeat('bridge-1');
  await standing.renew();
  const { client, execute, send, keyOf } = await startBridge([server.config], { standing });
  pass(0.6 * ttlMs);
  // One that may be repeated does not wait for anything.
  expect(finishedOf(await execute('look', {})).isError).toBe(false);
  const waiting = await send('note', {}, { call: 'one' });
  expect((await client.fenceCall({ key: keyOf('one'), instance: 'bridge-1' })).state.case).toBe('running');
  expect(server.calls('note')).toBe(0);
  await standing.renew();
  expect(finishedOf(await waiting.outcome).isError).toBe(false);
  expect(server.calls('note')).toBe(1);
});

test('a call waits a moment for a server that is coming back, and then runs', async () => {
  const server = scriptedServer('s');
  const { execute, bridge } = await startBridge([server.config], {
    bounds: { callWaitMs: 10_000, backoffFirstMs: 200 },
  });
  await execute('crash', {});
  await eventually(() => bridge.describe()[0]?.ready === false, 'the server is down');
  expect(finishedOf(await execute('note', {})).isError).toBe(false);
});

const stateful = [stdioServer('files', process.execPath, [])];
const { signal } = new AbortController();

test('a second bridge with a stdio server that may keep state is refused, the first one stays', async () => {
  const { heartbeat } = watched();
  const first = heartbeat('first');
  await first.renew();
  await refuseSecondBridge(stateful, first, signal);
  const second = heartbeat('second');
  await second.renew();
  const refused = refuseSecondBridge(stateful, second, signal);
  await first.renew();
  await second.renew();
  await expect(refused).rejects.toThrow(/^the MCP server "files" runs .*another bridge \(first:1\).*stateless: true/);
});

test('a bridge beside others may have stdio servers that keep nothing, and HTTP servers', async () => {
  const { heartbeat } = watched();
  await heartbeat('first').renew();
  const second = heartbeat('second');
  await second.renew();
  const stateless = scriptedServer('s', [], { stateless: true }).config;
  await refuseSecondBridge([stateless, httpServer('h', 'http://127.0.0.1:1/mcp')], second, signal);
});

test('a bridge that was killed and is still listed is waited out', async () => {
  const { heartbeat, pass } = watched();
  await heartbeat('killed').renew();
  const next = heartbeat('next');
  await next.renew();
  let isOver = false;
  const allowed = refuseSecondBridge(stateful, next, signal).then(() => {
    isOver = true;
  });
  for (let passed = 0; passed < 3; passed += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    pass(ttlMs / 3);
    await next.renew();
  }
  await allowed;
});

test('a bridge that goes on under another id is still the first one', async () => {
  const { heartbeat, pass, peers } = watched();
  const first = heartbeat('first');
  await first.renew();
  const second = heartbeat('second');
  await second.renew();
  const refused = refuseSecondBridge(stateful, second, signal);
  pass(0.8 * ttlMs);
  await first.renew();
  expect([...peers.keys()]).toContain('first~1');
  await second.renew();
  await expect(refused).rejects.toThrow(/another bridge/);
});
