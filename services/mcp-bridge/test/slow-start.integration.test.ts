import { Waits } from '@stopgo/log';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { bridgeBounds } from '../src/bounds.ts';
import { eventually, finishedOf, scriptedServer, startBridge, stdioServer } from './support/bridge.ts';

const { ServerState } = mcp;

/** Writes to its error output and never answers, as `npx` while it installs. */
const installing = (more: Parameters<typeof stdioServer>[3]) => {
  const script = "process.stderr.write('npm http fetch\\nwith hunter2-secret \\u001b[1m\\n'); process.stdin.resume()";
  return stdioServer('slow', process.execPath, ['-e', script], { env: { PASSWORD: 'hunter2-secret' }, ...more });
};

test('a start that takes its time is told in the log and shown, with its last output', async () => {
  let now = 0;
  const server = installing({ onStartFailure: 'degrade', startTimeoutMs: 90_000 });
  const { lines, client, bridge } = await startBridge([server], {
    clock: () => now,
    bounds: { startTellEveryMs: 5, endGraceMs: 100 },
  });
  now = 12_900;
  const progress = '12 s so far, limit 90s (start_timeout); last output: with [secret] \\u{1b}[1m';
  const told = { level: 'info', message: `MCP server "slow" is starting: ${progress}` };
  await eventually(() => lines.some(({ message }) => message === told.message), 'it is told');
  expect(lines).toContainEqual(told);
  const [status] = (await client.listServers({})).servers;
  expect(status).toMatchObject({ state: ServerState.STARTING, reason: `the server "slow" is starting: ${progress}` });
  await bridge.stop();
});

test('nothing is told of a start that is over', async () => {
  const { lines, execute } = await startBridge([scriptedServer('s').config], { bounds: { startTellEveryMs: 1 } });
  const told = () => lines.filter(({ message }) => message.includes('is starting')).length;
  const before = told();
  finishedOf(await execute('slow', { text: 'x' }));
  expect(told()).toBe(before);
});

test('start_timeout bounds the start of a server, and five minutes do without it', async () => {
  expect(bridgeBounds.stdioStartMs).toBe(5 * 60 * 1_000);
  // It complains at once and then reads without a word; a loaded machine may need longer than the limit to start Node.
  const server = stdioServer('slow', 'grep', ['nothing-like-this', '/no/such/file', '-'], { startTimeoutMs: 2_000 });
  await expect(startBridge([server], { bounds: { stdioStartMs: 600_000, endGraceMs: 100 } })).rejects.toThrow(
    /failed to start MCP server "slow": no answer within \d+ ms to the first message; if it needs longer, as for an install, set start_timeout; its last output: grep: \/no\/such\/file/,
  );
});

test('a server that is silent for longer than the question for its protocol takes is not started twice', async () => {
  const server = scriptedServer('s', ['--wakes-late=300'], { era: 'auto' });
  const { tools } = await startBridge([server.config], { bounds: { probeMs: 20 } });
  expect(await tools()).toHaveLength(12);
  expect(server.pids()).toHaveLength(1);
});

test('nobody waits for a server that is not insisted on, and its calls wait for it', async () => {
  const first = scriptedServer('s');
  const { toolNamed, bridge, store } = await startBridge([first.config]);
  const { pin } = await toolNamed('note');
  await bridge.stop();
  const late = { ...first.config, onStartFailure: 'degrade' } as const;
  const begun: string[] = [];
  const waits = new Waits(Date.now, ({ conversationId, kind, name }) =>
    begun.push(`${conversationId} ${kind} ${name}`),
  );
  const { client, execute } = await startBridge([late], { store, bounds: { callWaitMs: 60_000 }, waits });
  expect((await client.listServers({})).servers[0]?.state).toBe(ServerState.STARTING);
  expect(finishedOf(await execute('note', { text: 'x' }, { server: 's', pin })).content).toBe('note {"text":"x"}');
  // The run was told while it waited, and only then.
  expect(begun).toEqual([expect.stringMatching(/^\S+ tool_server s$/)]);
  expect(waits.told()).toEqual([]);
});
