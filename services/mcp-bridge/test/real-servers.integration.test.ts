import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import {
  eventually,
  finishedOf,
  isAlive,
  refusedOf,
  startBridge,
  stdioServer,
  temporaryFolder,
  unknownOf,
} from './support/bridge.ts';

const require = createRequire(import.meta.url);
const { FailureKind, RefusedReason, ServerState } = mcp;

/** A server as it is published, and the ids of the processes that it had. */
function published(name: string, program: string, more: Parameters<typeof stdioServer>[3] = {}) {
  const file = join(temporaryFolder(), 'pids');
  const wrapper = fileURLToPath(new URL('./fixtures/with-pid.mjs', import.meta.url));
  const config = stdioServer(name, process.execPath, [wrapper, file, program], {
    era: 'auto',
    ...more,
  });
  return { config, pids: () => readFileSync(file, 'utf8').trim().split('\n').map(Number) };
}

const everythingProgram = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');

test('the memory of a server that is killed is there again, and what forgets needs an approval', async () => {
  const memory = published('memory', require.resolve('@modelcontextprotocol/server-memory/dist/index.js'), {
    env: { MEMORY_FILE_PATH: join(temporaryFolder(), 'memory.json') },
  });
  const { execute, approval, client, toolNamed } = await startBridge([memory.config]);
  expect((await toolNamed('read_graph')).hints).toMatchObject({ readOnly: true });
  expect((await toolNamed('delete_entities')).hints).toMatchObject({ destructive: true });
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
  expect(finishedOf(await execute('create_entities', { entities }))).toMatchObject({ isError: false });
  expect(finishedOf(await execute('create_entities', { entities: 'Ada' })).failure).toBe(FailureKind.INVALID_ARGUMENTS);

  process.kill(memory.pids()[0] ?? 0, 'SIGKILL');
  const status = async () => (await client.listServers({})).servers[0];
  await eventually(async () => (await status())?.reconnects === 1, 'it is back');
  expect(finishedOf(await execute('read_graph', {})).content).toContain('Ada');

  const names = { entityNames: ['Ada'] };
  expect(refusedOf(await execute('delete_entities', names)).reason).toBe(RefusedReason.NOT_APPROVED);
  finishedOf(await execute('delete_entities', names, await approval('delete_entities', names)));
  expect(finishedOf(await execute('read_graph', {})).content).not.toContain('Ada');
});

test('a server that thinks in steps keeps them between calls', async () => {
  const thinking = published(
    'thinking',
    require.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
  );
  const { execute } = await startBridge([thinking.config]);
  for (const thoughtNumber of [1, 2]) {
    const thought = { thought: 'and so', nextThoughtNeeded: true, thoughtNumber, totalThoughts: 3 };
    const result = finishedOf(await execute('sequentialthinking', thought));
    expect(result).toMatchObject({ isError: false });
    expect(JSON.parse(result.content)).toMatchObject({ thoughtNumber, thoughtHistoryLength: thoughtNumber });
  }
});

test('a server without hints asks for each call where the configuration wants it so', async () => {
  const commands = published('commands', require.resolve('mcp-server-commands/build/index.js'), { unannotated: 'ask' });
  const { execute, approval } = await startBridge([commands.config]);
  const args = { command: 'echo said' };
  expect(refusedOf(await execute('run_command', args)).reason).toBe(RefusedReason.NOT_APPROVED);
  const approved = await approval('run_command', args);
  expect(finishedOf(await execute('run_command', args, approved)).content).toContain('said');
  expect(refusedOf(await execute('run_command', { command: 'echo other' }, approved)).reason).toBe(
    RefusedReason.NOT_APPROVED,
  );
});

test('a long call tells its progress; its server is killed in the middle of it, and since it only reads, it is repeated', async () => {
  const everything = published('everything', everythingProgram);
  const { send, client, keyOf, instance, tools } = await startBridge([everything.config]);
  const before = (await tools()).length;
  const running = await send('trigger-long-running-operation', { duration: 2, steps: 40 }, { call: 'long' });
  await eventually(async () => {
    const { state } = await client.fenceCall({ key: keyOf('long'), instance });
    return state.case === 'running' && state.value.progress >= 2 && state.value.progressTotal === 40;
  }, 'its progress');
  process.kill(everything.pids()[0] ?? 0, 'SIGKILL');
  expect(finishedOf(await running.outcome)).toMatchObject({
    isError: false,
    content: expect.stringContaining('operation completed'),
  });
  expect(everything.pids()).toHaveLength(2);
  await eventually(async () => (await client.listServers({})).servers[0]?.state === ServerState.READY, 'it is back');
  expect(await tools()).toHaveLength(before);
});

test('a server that hangs does not keep another from answering, is found out, and ends with the bridge', async () => {
  const everything = published('everything', everythingProgram, { timeoutMs: 500 });
  const thinking = published(
    'thinking',
    require.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
  );
  const { execute, client, bridge } = await startBridge([everything.config, thinking.config], {
    bounds: { probeEveryMs: 60_000, pingMs: 200, endGraceMs: 100, backoffFirstMs: 60_000 },
  });
  process.kill(everything.pids()[0] ?? 0, 'SIGSTOP');
  const hanging = execute('get-sum', { a: 1, b: 2 });
  const thought = { thought: 'on', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  finishedOf(await execute('sequentialthinking', thought));
  const outcome = await hanging;
  if (outcome.case === 'unknown') expect(unknownOf(outcome)).toMatch(/did not answer within/);
  else expect(finishedOf(outcome)).toMatchObject({ isError: true, failure: FailureKind.TIMEOUT });
  await eventually(
    async () => (await client.listServers({})).servers[0]?.state === ServerState.BACKOFF,
    'it is given up',
  );
  await bridge.stop();
  await eventually(() => ![...everything.pids(), ...thinking.pids()].some(isAlive), 'all processes have ended');
});
