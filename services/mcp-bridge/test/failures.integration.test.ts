import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import {
  eventually,
  finishedOf,
  isAlive,
  refusedOf,
  scriptedServer,
  startBridge,
  unknownOf,
} from './support/bridge.ts';

const { RefusedReason } = mcp;

test('a server that ends inside a call makes the call unknown, with its last words, and comes back', async () => {
  const server = scriptedServer('s');
  const { execute, lines, bridge } = await startBridge([server.config]);
  expect(unknownOf(await execute('crash', {}))).toBe(
    'the server "s" ended while the call ran (its process exited with code 3; its last output: first | ' +
      'out of \\u{7}memory); whether the call took effect is not known',
  );
  await eventually(() => bridge.describe()[0]?.ready, 'the server is back');
  expect(finishedOf(await execute('note', { text: 'x' })).isError).toBe(false);
  expect(server.pids()).toHaveLength(2);
  expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toContain(
    'MCP server "s" lost: its process exited with code 3; its last output: first | out of \\u{7}memory',
  );
});

test('a server that is killed is told the same way', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  const running = execute('hang', {});
  await eventually(() => server.calls('hang') === 1, 'the call runs');
  process.kill(server.pids()[0] ?? 0, 'SIGKILL');
  expect(unknownOf(await running)).toMatch(
    /^the server "s" ended while the call ran \(its process was ended by SIGKILL\)/,
  );
});

test('while a server is down its calls are refused at once, with the reason; its tools stay listed', async () => {
  const server = scriptedServer('s');
  const { execute, tools, bridge } = await startBridge([server.config], { bounds: { backoffFirstMs: 60_000 } });
  await execute('crash', {});
  const refused = refusedOf(await execute('note', {}));
  expect(refused.reason).toBe(RefusedReason.SERVER_UNAVAILABLE);
  expect(refused.message).toMatch(
    /^the server "s" is down: its process exited with code 3; .*; the call was not sent$/,
  );
  expect(await tools()).toHaveLength(12);
  expect(bridge.describe()[0]).toMatchObject({ ready: false, reason: expect.stringContaining('exited with code 3') });
  expect(server.calls('note')).toBe(0);
});

test('calls that wait while their server ends are refused, not sent', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config], { bounds: { backoffFirstMs: 60_000 } });
  const [crashed, waiting] = await Promise.all([execute('crash', {}), execute('note', {})]);
  expect(crashed?.case).toBe('unknown');
  expect(refusedOf(waiting).reason).toBe(RefusedReason.SERVER_UNAVAILABLE);
});

test('a call is not repeated once its tool does not claim to be repeatable any more', async () => {
  const server = scriptedServer('s', ['--changes-its-mind']);
  const { execute } = await startBridge([server.config]);
  expect(unknownOf(await execute('crash_look', { text: '1' }))).toMatch(/^the server "s" ended while the call ran/);
  expect(server.calls('crash_look')).toBe(1);
});

test('the time of a call starts when it is sent', async () => {
  const server = scriptedServer('s', [], { timeoutMs: 300 });
  const { execute } = await startBridge([server.config]);
  finishedOf(await execute('become', { text: '{"delayMs":400}' }));
  finishedOf(await execute('note', {}));
});

test('a call does not wait behind one that is waiting for the server to come back', async () => {
  const server = scriptedServer('s');
  const bounds = { backoffFirstMs: 60_000, repeatWaitMs: 60_000 };
  const { execute, bridge } = await startBridge([server.config], { bounds });
  let ended = false;
  const waiting = execute('crash_look', { text: '99' }).finally(() => {
    ended = true;
  });
  await eventually(() => bridge.describe()[0]?.ready === false, 'the server is down');
  expect(refusedOf(await execute('note', {})).reason).toBe(RefusedReason.SERVER_UNAVAILABLE);
  expect(ended).toBe(false);
  await bridge.stop();
  expect(finishedOf(await waiting).isError).toBe(true);
});

test('a read-only call is repeated when its server ends, and gives the result in the end', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  expect(finishedOf(await execute('crash_look', { text: '2' }))).toMatchObject({
    content: 'seen at last',
    isError: false,
  });
  expect(server.calls('crash_look')).toBe(3);
});

test('a read-only call that keeps ending its server is an error result after two repeats', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  const result = finishedOf(await execute('crash_look', { text: '99' }));
  expect(result).toMatchObject({
    isError: true,
    content: 'Tool execution failed: the server "s" ended while the call ran (its process exited with code 4)',
  });
  expect(server.calls('crash_look')).toBe(3);
});

test('a call beyond its time is unknown, or an error result if it only reads; the server stays', async () => {
  const server = scriptedServer('s', [], { timeoutMs: 500 });
  const { execute } = await startBridge([server.config]);
  expect(unknownOf(await execute('hang', {}))).toMatch(/^the server "s" did not answer within \d+ ms; whether/);
  const read = finishedOf(await execute('hang_look', {}));
  expect(read.isError).toBe(true);
  expect(read.content).toMatch(/^Tool execution failed: the server "s" did not answer within \d+ ms$/);
  finishedOf(await execute('note', {}));
  expect(server.pids()).toHaveLength(1);
});

test('errors that a server answers with are results for the model', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  expect(finishedOf(await execute('wrong', {}))).toMatchObject({ content: 'that went wrong', isError: true });
  expect(finishedOf(await execute('protocol_error', {}))).toMatchObject({
    content: 'Tool execution failed: Invalid arguments: text is missing',
    isError: true,
  });
});

test('a server gets one call at a time, in the order they came', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config]);
  await Promise.all(['1', '2', '3'].map((text) => execute('slow', { text })));
  const steps = server
    .journal()
    .flatMap(({ began, ended, args }) => (began ? [`began ${args?.text}`] : ended ? ['ended'] : []));
  expect(steps).toEqual(['began 1', 'ended', 'began 2', 'ended', 'began 3', 'ended']);
});

test('servers do not wait for each other', async () => {
  const stuck = scriptedServer('stuck');
  const other = scriptedServer('other', ['--prefix=o_']);
  const { client, execute, keyOf, instance } = await startBridge([stuck.config, other.config]);
  const hanging = execute('hang', {}, { call: 'hanging' });
  await eventually(() => stuck.calls('hang') === 1, 'the call hangs');
  finishedOf(await execute('o_note', {}));
  await client.cancelCall({ key: keyOf('hanging'), instance });
  expect((await hanging).case).toBe('unknown');
});

test('a queue that is full refuses at once', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config], { bounds: { callsQueuedMax: 2 } });
  const accepted = ['1', '2', '3'].map((text) => execute('slow', { text }));
  const refused = refusedOf(await execute('note', {}));
  expect(refused.reason).toBe(RefusedReason.SERVER_UNAVAILABLE);
  expect(refused.message).toBe('the server "s" has 2 calls waiting already; try again later; the call was not sent');
  for (const call of accepted) finishedOf(await call);
});

test('a server that says its tools changed and cannot list them is given up and started again', async () => {
  const server = scriptedServer('s');
  const { execute, bridge } = await startBridge([server.config], { bounds: { listMs: 200 } });
  finishedOf(await execute('become', { text: '{"silent":true}' }));
  // Nobody knows what the tool is by now, so the call must not go through.
  const refused = refusedOf(await execute('note', {}));
  expect(refused.reason).toBe(RefusedReason.SERVER_UNAVAILABLE);
  expect(refused.message).toMatch(/^the server "s" is down: its tools could not be listed: /);
  await eventually(() => bridge.describe()[0]?.ready, 'the server is back');
  finishedOf(await execute('note', {}));
  expect(server.calls('note')).toBe(1);
});

test('a result beyond the bound is cut with its size and digest; one beyond memory is an error', async () => {
  const server = scriptedServer('s');
  const { execute } = await startBridge([server.config], { bounds: { messageBytesMax: 1024 * 1024 } });
  const cut = finishedOf(await execute('big', { text: '200000' }));
  expect(cut.fullBytes).toBe(400_000n);
  expect(cut.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(Buffer.byteLength(cut.content)).toBeLessThanOrEqual(256 * 1024);
  expect(cut.content).toMatch(/ä\n\[cut: 400000 bytes in full, sha256 [0-9a-f]{64}\]$/);
  expect(finishedOf(await execute('big', { text: '600000' }))).toMatchObject({
    isError: true,
    content:
      'Tool execution failed: the call ran, and the result of the server "s" is too large: it has more than 1048576 bytes',
    failure: mcp.FailureKind.RESULT_TOO_LARGE,
  });
  expect(finishedOf(await execute('big', { text: '3' })).content).toBe('äää');
});

test('a call that is canceled while its tool is looked up again is not sent', async () => {
  const server = scriptedServer('s');
  const { client, execute, keyOf, instance } = await startBridge([server.config]);
  finishedOf(await execute('become', { text: '{"delayMs":400}' }));
  const waiting = execute('note', {}, { call: 'waiting' });
  await eventually(async () => (await client.cancelCall({ key: keyOf('waiting'), instance })).found, 'it is canceled');
  expect(refusedOf(await waiting).reason).toBe(RefusedReason.FENCED);
  finishedOf(await execute('look', {}));
  expect(server.calls('note')).toBe(0);
});

test('a call that is canceled while its tool is looked up again does not wait for that', async () => {
  const server = scriptedServer('s');
  const { client, execute, keyOf, instance } = await startBridge([server.config], { bounds: { listMs: 60_000 } });
  finishedOf(await execute('become', { text: '{"silent":true}' }));
  const waiting = execute('note', {}, { call: 'waiting' });
  await eventually(async () => (await client.cancelCall({ key: keyOf('waiting'), instance })).found, 'it is canceled');
  expect(refusedOf(await waiting).reason).toBe(RefusedReason.FENCED);
  expect(server.calls('note')).toBe(0);
});

test('a stop does not wait for a server that is being started again', async () => {
  const server = scriptedServer('s', ['--silent-second-time']);
  const { execute, bridge } = await startBridge([server.config], { bounds: { stdioStartMs: 60_000 } });
  await execute('crash', {});
  await eventually(() => server.pids().length === 2, 'it is being started again');
  await bridge.stop();
  expect(server.pids().filter(isAlive)).toEqual([]);
});

test('a server that is frozen is ended and started again after the first call that timed out', async () => {
  const server = scriptedServer('s', [], { timeoutMs: 200 });
  const { execute, bridge, logText } = await startBridge([server.config], {
    bounds: { pingMs: 100, endGraceMs: 100, backoffFirstMs: 60_000 },
  });
  const [pid = 0] = server.pids();
  process.kill(pid, 'SIGSTOP');
  expect(unknownOf(await execute('note', {}))).toMatch(/^the server "s" did not answer within \d+ ms; whether/);
  // Not sent any more, so it is certain that it did not run.
  expect(refusedOf(await execute('note', {})).message).toBe(
    'the server "s" is down: it does not answer within 100 ms; the call was not sent',
  );
  expect(logText()).toContain('MCP server "s" lost: it does not answer within 100 ms');
  await bridge.stop();
  await eventually(() => !isAlive(pid), 'the frozen process is gone');
});

test('a stop waits for the end of a frozen server that was given up a moment before', async () => {
  const server = scriptedServer('s', [], { timeoutMs: 100 });
  const { execute, client, bridge } = await startBridge([server.config], {
    bounds: { pingMs: 50, endGraceMs: 300, backoffFirstMs: 60_000 },
  });
  const [pid = 0] = server.pids();
  process.kill(pid, 'SIGSTOP');
  await execute('hang', {});
  const state = async () => (await client.listServers({})).servers[0]?.state;
  await eventually(async () => (await state()) === mcp.ServerState.BACKOFF, 'it is given up');
  await bridge.stop();
  expect(isAlive(pid)).toBe(false);
});

test('a server that does one thing at a time is not asked for its tools during a call, and not taken for dead', async () => {
  const server = scriptedServer('s', ['--one-thing-at-a-time']);
  const { execute, bridge } = await startBridge([server.config], { bounds: { listMs: 500 } });
  expect(finishedOf(await execute('long', { text: '1500' })).content).toBe('long enough');
  const lists = () => server.journal().filter(({ method }) => method === 'tools/list').length;
  await eventually(() => lists() === 2, 'what changed during the call is read after it');
  expect(bridge.describe()[0]?.ready).toBe(true);
  expect(server.pids()).toHaveLength(1);
});
