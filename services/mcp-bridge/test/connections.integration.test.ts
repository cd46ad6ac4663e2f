import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import {
  eventually,
  finishedOf,
  httpServer,
  isAlive,
  nastyServer,
  refusedOf,
  scriptedServer,
  startBridge,
} from './support/bridge.ts';
import { legacyServer, listen } from './support/http.ts';

const { ServerState } = mcp;

test('an agent starts without a server that it does not insist on, however that fails, and has it when it comes', async () => {
  const mute = scriptedServer('mute', ['--silent'], { onStartFailure: 'degrade' });
  const broken = scriptedServer('broken', ['--fail'], { onStartFailure: 'degrade' });
  const place = await listen(() => undefined);
  await place.close();
  const good = scriptedServer('good', ['--prefix=g_']);
  const { tools, lines, client, bridge } = await startBridge(
    [mute.config, broken.config, httpServer('late', place.url, { onStartFailure: 'degrade' }), good.config],
    { bounds: { httpStartMs: 20_000, httpStartPauseMs: 20_000, crashesMax: 100 } },
  );
  expect((await tools()).map(({ server }) => server)).toEqual(new Array(12).fill('good'));
  const { revision: knownRevision, unlistedServers } = await client.listTools({});
  expect(unlistedServers).toEqual(['mute', 'broken', 'late']);
  expect(await client.listTools({ knownRevision })).toMatchObject({ unchanged: true, unlistedServers });
  const state = async (name: string) => (await client.listServers({})).servers.find((server) => server.name === name);
  expect(await state('mute')).toMatchObject({ state: ServerState.STARTING, tools: 0 });
  await eventually(async () => (await state('broken'))?.state === ServerState.BACKOFF, 'the broken one is down');
  await eventually(
    () => lines.some(({ message }) => message.startsWith('MCP server "late" is not')),
    'the late one is told',
  );
  expect(await state('broken')).toMatchObject({
    state: ServerState.BACKOFF,
    reason: expect.stringMatching(/^the server "broken" is down: .*exited with code 7.*its last output: cannot open/),
  });
  expect(lines.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(
      /^MCP server "late" is not there: no connection to .*ECONNREFUSED.*; the agent starts without it$/,
    ),
  );
  await legacyServer({ port: place.port });
  await eventually(async () => (await tools()).some(({ server }) => server === 'late'), 'the late one is there');
  expect((await client.listTools({})).unlistedServers).toEqual(['mute', 'broken']);
  expect(await state('late')).toMatchObject({ state: ServerState.READY, tools: 2, reason: '' });
  await bridge.stop();
  expect(mute.pids().filter(isAlive)).toEqual([]);
});

test('a bridge that stops has ended what it was about to connect', async () => {
  const server = scriptedServer('s', ['--silent', '--stubborn'], { onStartFailure: 'degrade' });
  const { bridge } = await startBridge([server.config], { bounds: { endGraceMs: 200 } });
  await eventually(() => server.pids()[0], 'its process');
  await bridge.stop();
  expect(server.pids().filter(isAlive)).toEqual([]);
});

test('a server that comes late takes no name from one that is insisted on', async () => {
  const late = scriptedServer('late', [], { onStartFailure: 'degrade' });
  const sure = scriptedServer('sure');
  const { tools, client } = await startBridge([late.config, sure.config]);
  expect((await tools()).map(({ server }) => server)).toEqual(new Array(12).fill('sure'));
  const { problems } = await eventually(
    async () =>
      (await client.listServers({})).servers.find(({ state, name }) => state === ServerState.READY && name === 'late'),
    'the late one is there',
  );
  expect(problems).toContainEqual(
    expect.stringMatching(/^tool "note" is left out: the MCP servers "sure" and "late" both have a tool of that name/),
  );
});

test('a server that ends again and again is left in peace, and its calls are refused at once', async () => {
  const server = nastyServer('s', ['--short-lived'], { onStartFailure: 'degrade' });
  const { client, execute, lines } = await startBridge([server.config], {
    bounds: { backoffFirstMs: 1, crashesMax: 3, callWaitMs: 60_000 },
  });
  const status = async () => (await client.listServers({})).servers[0];
  await eventually(async () => (await status())?.state === ServerState.CRASH_LOOP, 'it is in a crash loop');
  expect((await status())?.reason).toMatch(/^the server "s" ends again and again: its process exited with code 9/);
  expect((await status())?.retryAfterMs).toBeGreaterThan(60_000);
  expect(lines.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^MCP server "s" ends again and again: its process exited with code 9/),
  );
  const refused = refusedOf(await execute('typed', { n: 1 }, { server: 's' }));
  expect(refused.message).toMatch(/^the server "s" ends again and again: .*; the call was not sent$/);
  expect(server.pids()).toHaveLength(3);
});

test('a server that is connected and deaf is found out without a call, and started again', async () => {
  const server = nastyServer('s', ['--deaf']);
  const { client, lines } = await startBridge([server.config], { bounds: { probeEveryMs: 20, pingMs: 50 } });
  const status = async () => (await client.listServers({})).servers[0];
  await eventually(async () => (await status())?.reconnects === 1, 'it was started again');
  expect(lines.map(({ message }) => message)).toContain('MCP server "s" lost: it does not answer within 50 ms');
  await eventually(() => server.journal().filter(({ method }) => method === 'ping').length > 4, 'it answers now');
  expect((await status())?.state).toBe(ServerState.READY);
  // Once for each process: a look at its health is no second handshake.
  expect(server.journal().filter(({ method }) => method === 'initialize')).toHaveLength(2);
});

test('a look at the health of a server does not disturb the one call that it is given at a time', async () => {
  const server = nastyServer('s', ['--deaf']);
  const { execute } = await startBridge([server.config], { bounds: { probeEveryMs: 50, pingMs: 1 } });
  expect(finishedOf(await execute('steps', { steps: 20, ms: 50 })).content).toBe('all steps done');
});

test('an HTTP server that has gone is found out without a call', async () => {
  const server = await legacyServer();
  const { client } = await startBridge([httpServer('l', server.url)], { bounds: { probeEveryMs: 20, pingMs: 200 } });
  await server.close();
  const status = async () => (await client.listServers({})).servers[0];
  await eventually(async () => (await status())?.state === ServerState.BACKOFF, 'it is down');
  await legacyServer({ port: server.port });
  await eventually(async () => (await status())?.state === ServerState.READY, 'it is back');
});

test('a server that never stops to say that its tools changed keeps no call waiting', async () => {
  const server = nastyServer('s', ['--restless']);
  const { execute, bridge } = await startBridge([server.config], { bounds: { listReadsMax: 3, listPauseMs: 60_000 } });
  for (let n = 0; n < 9; n += 1) expect(finishedOf(await execute('typed', { n })).content).toBe(`{"n":${n}}`);
  expect(bridge.describe()[0]?.state).toBe('ready');
  expect(server.journal().filter(({ method }) => method === 'tools/list').length).toBeLessThanOrEqual(1 + 3);
});

test('one that changes its tools again and again does not fill the log', async () => {
  const server = nastyServer('s', ['--fickle']);
  const bounds = { linesMax: 5, linesPeriodMs: 600_000, listReadsMax: 1_000 };
  const { lines, client } = await startBridge([server.config], { bounds });
  const offersLast = async () => (await client.listTools({})).held.some(({ name }) => name === 'new-40');
  await eventually(offersLast, 'all changes');
  expect(lines.filter(({ level }) => level === 'warn').length).toBeLessThanOrEqual(5);
  const [status] = (await client.listServers({})).servers;
  expect(status?.leftOut.map(({ name }) => name)).toContain('odd-40');
});

test('what a server says of why it fails is kept and shown on one line, within bounds', async () => {
  const server = nastyServer('s', ['--wordy', '--restless']);
  const { client, lines } = await startBridge([server.config], { bounds: { backoffFirstMs: 60_000 } });
  const status = await eventually(
    async () => (await client.listServers({})).servers.find(({ state }) => state === ServerState.BACKOFF),
    'it is lost',
  );
  expect(status.reason).toMatch(/^the server "s" is down: its tools could not be listed: no\\u\{1b\}\[2J xxx/);
  for (const { message } of lines) expect(message.length).toBeLessThan(3_000);
  expect(status.reason.length + status.lastError.length).toBeLessThan(6_000);
});

test('three pages are read; a list without end is refused', async () => {
  const { tools } = await startBridge([nastyServer('s', ['--page=3']).config]);
  expect(await tools()).toHaveLength(8);
  const endless = startBridge([nastyServer('s', ['--page=3', '--endless']).config], { bounds: { listPagesMax: 5 } });
  await expect(endless).rejects.toThrow(/failed to start MCP server "s": /);
});

test('tools that hide something, have no schema, or are too much are left out; why is in the log and the answer', async () => {
  const server = nastyServer('s', ['--hidden', '--bad-input', '--many-values']);
  const { tools, lines, client } = await startBridge([server.config]);
  expect((await tools()).map(({ name }) => name)).not.toContain('sly');
  expect(await tools()).toHaveLength(8);
  const [status] = (await client.listServers({})).servers;
  const problems = status?.problems;
  expect(status?.tools).toBe(8);
  expect(status?.leftOut.map(({ name, reason }) => [name, reason])).toEqual([
    ['bomb', 'its definition holds more than 5000 values'],
    ['sly', 'its definition holds a character that a person does not see (U+E0041 in /description)'],
    ['shapeless', 'its inputSchema is not valid ("type" is none at #/properties/a)'],
  ]);
  expect(problems).toEqual([
    'tool "bomb": its definition holds more than 5000 values; the tool is left out',
    expect.stringContaining('tool "unclear"'),
    'tool "sly": its definition holds a character that a person does not see (U+E0041 in /description); the tool is left out',
    'tool "shapeless": its inputSchema is not valid ("type" is none at #/properties/a); the tool is left out',
  ]);
  const warned = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(warned).toEqual(problems?.map((problem) => `MCP server "s": ${problem}`));
});

test('a server that is started again has its tools listed anew', async () => {
  const server = nastyServer('s');
  const { execute, client } = await startBridge([server.config]);
  await execute('end', {});
  const status = async () => (await client.listServers({})).servers[0];
  await eventually(async () => (await status())?.reconnects === 1, 'it is back');
  expect(server.journal().filter(({ method }) => method === 'tools/list')).toHaveLength(2);
  expect(await status()).toMatchObject({
    state: ServerState.READY,
    protocolEra: 'legacy',
    protocolVersion: '2025-06-18',
    transport: 'stdio',
    reason: '',
    lastError: 'its process exited with code 3; its last output: out of memory',
  });
});

test('what is shown of a server holds neither its arguments nor its query', async () => {
  const server = await legacyServer();
  const stdio = scriptedServer('s', ['--key=secret-argument', '--prefix=s_'], { env: { KEY: 'secret-value' } });
  const { client } = await startBridge([httpServer('l', `${server.url}?key=secret-query`), stdio.config]);
  const { servers } = await client.listServers({});
  expect(servers.map(({ address }) => address)).toEqual([server.url, process.execPath]);
  expect(
    JSON.stringify(servers, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  ).not.toMatch(/secret/);
});

test('what a process writes beside messages is told once for each process, and counted', async () => {
  const server = nastyServer('s', ['--chatty=40'], { env: { PASSWORD: 'hunter2-secret' } });
  const { execute, client, lines } = await startBridge([server.config]);
  const told = () => lines.filter(({ message }) => message.includes('no message of the protocol'));
  const words =
    'MCP server "s" writes to its standard output what is no message of the protocol (more is only counted): ' +
    'line 1 with [secret]\\u{1b}[1m';
  expect(told()).toEqual([{ level: 'warn', message: words }]);
  const status = async () => (await client.listServers({})).servers[0];
  expect((await status())?.problems.at(-1)).toBe(
    'it wrote 40 lines to its standard output that belong on its error output, as they are no messages of the protocol; ' +
      'the first: line 1 with [secret]\\u{1b}[1m',
  );
  await execute('end', {});
  await eventually(async () => (await status())?.reconnects === 1, 'it is back');
  expect(told()).toHaveLength(2);
  expect((await status())?.problems.at(-1)).toContain('it wrote 40 lines');
});
