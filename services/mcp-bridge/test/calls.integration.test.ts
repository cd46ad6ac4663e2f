import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { eventually, finishedOf, nastyServer, refusedOf, startBridge, unknownOf } from './support/bridge.ts';

const { FailureKind, RefusedReason } = mcp;

test('arguments that the tool does not take are not sent; the model is told where they are wrong', async () => {
  const server = nastyServer('s');
  const { execute } = await startBridge([server.config]);
  expect(finishedOf(await execute('typed', { n: 'seven' }))).toMatchObject({
    isError: true,
    failure: FailureKind.INVALID_ARGUMENTS,
    content: expect.stringMatching(
      /^Tool execution failed: the arguments are not what the tool takes: arguments\.n: .*"string"/,
    ),
  });
  expect(server.calls('typed')).toBe(0);
  expect(finishedOf(await execute('typed', { n: 7 }))).toMatchObject({
    isError: false,
    content: '{"n":7}',
    failure: 0,
  });
});

test('a structured result that is not what the tool promises is an error that shows it', async () => {
  const server = nastyServer('s');
  const { execute } = await startBridge([server.config]);
  const result = finishedOf(await execute('typed', { n: 10 }));
  expect(result).toMatchObject({ isError: true, failure: FailureKind.INVALID_RESULT });
  expect(result.content).toMatch(
    /^The call ran, but its structured result is not what the tool promises: structuredContent\.n: .*"string".*\n{"n":10}$/,
  );
});

test('a tool whose output schema makes no sense is used, its results are not checked, and that is told', async () => {
  const { execute, lines, client } = await startBridge([nastyServer('s').config]);
  expect(finishedOf(await execute('unclear', {}))).toMatchObject({ isError: false, content: 'as you like' });
  const problem =
    'tool "unclear": its outputSchema is not valid ("properties" is no object at #); results are not checked';
  expect(lines).toContainEqual({ level: 'warn', message: `MCP server "s": ${problem}` });
  expect((await client.listServers({})).servers[0]?.problems).toEqual([problem]);
});

test('a call that tells progress has more time, up to the time in all, and shows how far it is', async () => {
  const server = nastyServer('s', [], { timeoutMs: 400, totalTimeoutMs: 60_000 });
  const { send, client, keyOf, instance } = await startBridge([server.config]);
  const running = await send('steps', { steps: 6, ms: 150 }, { call: 'steps' });
  const state = async () => (await client.fenceCall({ key: keyOf('steps'), instance })).state;
  const told = await eventually(async () => {
    const now = await state();
    return now.case === 'running' && now.value.progress >= 2 ? now.value : undefined;
  }, 'its progress');
  expect(told).toMatchObject({ waiting: false, progressTotal: 6, progressMessage: `step ${told.progress}` });
  expect(finishedOf(await running.outcome).content).toBe('all steps done');
});

test('progress that is none gives no more time, and no progress gives more than the time in all', async () => {
  const still = nastyServer('s', [], { timeoutMs: 300, totalTimeoutMs: 60_000 });
  const { execute } = await startBridge([still.config]);
  expect(unknownOf(await execute('steps', { steps: 1_000, ms: 20, still: true }))).toMatch(
    /^the server "s" did not answer within \d+ ms; whether/,
  );
  const endless = nastyServer('e', [], { timeoutMs: 500, totalTimeoutMs: 700 });
  const other = await startBridge([endless.config]);
  expect(await other.execute('steps', { steps: 1_000, ms: 20 })).toMatchObject({
    case: 'unknown',
    value: {
      failure: FailureKind.TIMEOUT,
      message: expect.stringMatching(/^the server "e" did not end within \d+ ms, though it told progress; whether/),
    },
  });
});

test('a server is given as many calls at once as its configuration says', async () => {
  const two = nastyServer('two', [], { callsAtOnce: 2, timeoutMs: 10_000 });
  const { execute } = await startBridge([two.config]);
  const both = await Promise.all([execute('meet', {}), execute('meet', {})]);
  expect(both.map((outcome) => finishedOf(outcome).content)).toEqual(['met', 'met']);

  const one = nastyServer('one', [], { timeoutMs: 300 });
  const alone = await startBridge([one.config]);
  expect((await alone.execute('meet', {})).case).toBe('unknown');
});

test('a call that waits for its turn says so, and leaves the queue at once when it is canceled', async () => {
  const server = nastyServer('s');
  const { send, execute, client, keyOf, instance } = await startBridge([server.config], {
    bounds: { callsQueuedMax: 1 },
  });
  const running = execute('stay', {}, { call: 'running' });
  await eventually(() => server.calls('stay') === 1, 'the first runs');
  const waiting = await send('typed', { n: 1 }, { call: 'waiting' });
  const state = async (call: string) => (await client.fenceCall({ key: keyOf(call), instance })).state;
  expect(await state('waiting')).toMatchObject({ value: { waiting: true } });
  expect(await state('running')).toMatchObject({ value: { waiting: false } });
  expect((await client.listServers({})).servers[0]).toMatchObject({ callsRunning: 1, callsWaiting: 1, callsAtOnce: 1 });
  expect(refusedOf(await execute('typed', { n: 2 })).message).toContain('has 1 calls waiting already');

  await client.cancelCall({ key: keyOf('waiting'), instance });
  expect(refusedOf(await waiting.outcome).reason).toBe(RefusedReason.FENCED);
  const next = await send('typed', { n: 3 }, { call: 'next' });
  expect((await state('next')).case).toBe('running');
  await client.cancelCall({ key: keyOf('running'), instance });
  expect((await running).case).toBe('unknown');
  expect(finishedOf(await next.outcome).content).toBe('{"n":3}');
  expect(server.calls('typed')).toBe(1);
});

test('of several calls at once, the one that is canceled is the one that is stopped', async () => {
  const server = nastyServer('s', [], { callsAtOnce: 3 });
  const { execute, client, keyOf, instance } = await startBridge([server.config]);
  const stays = ['a', 'b'].map((call) => execute('stay', {}, { call }));
  await eventually(() => server.calls('stay') === 2, 'both run');
  await client.cancelCall({ key: keyOf('b'), instance });
  expect(await stays[1]).toMatchObject({ case: 'unknown', value: { failure: FailureKind.CANCELED } });
  expect((await client.fenceCall({ key: keyOf('a'), instance })).state.case).toBe('running');
  finishedOf(await execute('typed', { n: 1 }));
});

test('a result of 20 MB is an error and no more, also while others run', async () => {
  const server = nastyServer('s', [], { callsAtOnce: 3 });
  const { execute, client } = await startBridge([server.config]);
  const staying = execute('stay', {}, { call: 'staying' });
  await eventually(() => server.calls('stay') === 1, 'another call runs');
  expect(finishedOf(await execute('huge', { bytes: 20_000_000 }))).toMatchObject({
    isError: true,
    failure: FailureKind.RESULT_TOO_LARGE,
    content:
      'Tool execution failed: the call ran, and the result of the server "s" is too large: it has more than 16777216 bytes',
  });
  finishedOf(await execute('typed', { n: 1 }));
  expect((await client.listServers({})).servers[0]).toMatchObject({ callsRunning: 1, state: mcp.ServerState.READY });
  void staying;
});

test('a result of more JSON values than are read is an error and no more', async () => {
  const { execute } = await startBridge([nastyServer('s', ['--values']).config], {
    bounds: { messageValuesMax: 1_000 },
  });
  expect(finishedOf(await execute('values', { length: 2_000 }))).toMatchObject({
    isError: true,
    failure: FailureKind.RESULT_TOO_LARGE,
    content:
      'Tool execution failed: the call ran, and the result of the server "s" is too large: it has more than 1000 JSON values',
  });
  expect(finishedOf(await execute('typed', { n: 1 }))).toMatchObject({ isError: false });
});

test('a result that is JSON and too long is still JSON', async () => {
  const { execute } = await startBridge([nastyServer('s').config]);
  const result = finishedOf(await execute('list', { length: 100_000 }));
  expect(result.fullBytes).toBe(700_001n);
  const read = JSON.parse(result.content) as { truncated: boolean; full_bytes: number; beginning: string };
  expect(read).toMatchObject({ truncated: true, full_bytes: 700_001 });
  expect(read.beginning.startsWith('["ä\\"","ä\\"",')).toBe(true);
});

test('what lost an answer is told by its kind', async () => {
  const server = nastyServer('s');
  const { execute } = await startBridge([server.config], { bounds: { backoffFirstMs: 60_000 } });
  expect(await execute('end', {})).toMatchObject({ case: 'unknown', value: { failure: FailureKind.SERVER_LOST } });
  const refused = refusedOf(await execute('typed', { n: 1 }));
  expect(refused).toMatchObject({ reason: RefusedReason.SERVER_UNAVAILABLE });
  expect(refused.retryAfterMs).toBeGreaterThan(0);
  expect(refused.retryAfterMs).toBeLessThanOrEqual(60_000);
});
