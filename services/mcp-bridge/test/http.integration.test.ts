import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mcp } from '@stopgo/proto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { nodeArguments } from '../../../tests/node-arguments.ts';
import { connectionReason } from '../src/failures.ts';
import {
  afterwards,
  eventually,
  finishedOf,
  httpServer,
  isAlive,
  refusedOf,
  scriptedServer,
  startBridge,
  temporaryFolder,
  unknownOf,
} from './support/bridge.ts';
import { json, legacyServer, listen, modernServer, textResult } from './support/http.ts';

const { RefusedReason } = mcp;

test('a server of the newer protocol only is used, and its changes are followed', async () => {
  const server = await modernServer();
  const { held, execute } = await startBridge([httpServer('m', server.url, { era: 'auto' })]);
  expect(finishedOf(await execute('whoami', {})).content).toBe('whoami: nobody');
  server.offered.push({ name: 'later', inputSchema: { type: 'object' } });
  server.changed();
  await eventually(async () => (await held()).some(({ name }) => name === 'later'), 'the new tool');
});

test('era modern insists on the newer protocol, era legacy on the older', async () => {
  const modern = await modernServer();
  const legacy = await legacyServer();
  const { execute } = await startBridge([httpServer('m', modern.url, { era: 'modern' })]);
  finishedOf(await execute('whoami', {}));
  // One attempt, which may take its time.
  const once = { bounds: { httpStartMs: 10_000, httpStartPauseMs: 10_000 } };
  await expect(startBridge([httpServer('m', modern.url, { era: 'legacy' })], once)).rejects.toThrow(
    /failed to start MCP server "m": .*[Uu]nsupported protocol version/,
  );
  await expect(startBridge([httpServer('l', legacy.url, { era: 'modern' })], once)).rejects.toThrow(
    /failed to start MCP server "l": .*2026-07-28/,
  );
});

test('arguments go into headers where a tool says so; a tool that says it wrongly is left out', async () => {
  const inHeader = (name: string) => ({
    inputSchema: { type: 'object' as const, properties: { region: { type: 'string', 'x-mcp-header': name } } },
  });
  const more = [
    { name: 'good', ...inHeader('Region') },
    { name: 'bad', ...inHeader('not a header') },
  ];
  const server = await modernServer('', 0, more);
  const warned = vi.spyOn(console, 'warn');
  onTestFinished(() => warned.mockRestore());
  const { execute, tools, lines } = await startBridge([httpServer('m', server.url, { era: 'modern' })]);
  expect((await tools()).map(({ name }) => name)).toEqual(['whoami', 'pay', 'good']);
  expect(lines.map(({ message }) => message)).toContain(
    'MCP server "m": tool "bad": its x-mcp-header declarations are not valid; the tool is left out',
  );
  // The client library would write the server's words to our error output, as they are.
  expect(warned).not.toHaveBeenCalled();
  finishedOf(await execute('good', { region: 'north' }));
  expect(server.seen.find(({ rpc }) => rpc === 'tools/call')?.region).toBe('north');
});

test('a server of the older protocol is found out, and its session is ended', async () => {
  const server = await legacyServer();
  const { bridge, execute } = await startBridge([httpServer('l', server.url, { era: 'auto' })]);
  finishedOf(await execute('pay', {}));
  await bridge.stop();
  expect(server.seen.map(({ method }) => method)).toContain('DELETE');
});

test('the start waits for an HTTP server that is not there yet', async () => {
  const place = await listen(() => undefined);
  await place.close();
  let server: Promise<unknown> | undefined;
  const { lines, execute } = await startBridge([httpServer('late', place.url)], {
    bounds: { httpStartMs: 10_000, httpStartPauseMs: 50 },
    onLine: ({ message }) => {
      if (message.includes('attempt 2/')) server = legacyServer({ port: place.port });
    },
  });
  await server;
  const [first, second] = lines.filter(({ level }) => level !== 'debug');
  expect(first).toEqual({ level: 'info', message: `MCP Server [late]: ${place.url}` });
  expect(second).toEqual({
    level: 'warn',
    message: `MCP connection attempt 1/200 failed: no connection to ${place.url} (ECONNREFUSED), retrying in 50ms`,
  });
  finishedOf(await execute('pay', {}));
});

test('a server that is gone makes calls unavailable, not unknown, until it is back', async () => {
  const server = await legacyServer();
  const { execute, bridge } = await startBridge([httpServer('l', server.url)], { bounds: { backoffFirstMs: 50 } });
  await server.close();
  await eventually(() => fetch(server.url).then(() => false, isRefused), 'closed connections are noticed');
  const refused = refusedOf(await execute('pay', {}));
  expect(refused.reason).toBe(RefusedReason.SERVER_UNAVAILABLE);
  expect(refused.message).toBe(
    `the server "l" is down: no connection to ${server.url} (ECONNREFUSED); the call was not sent`,
  );
  expect(refusedOf(await execute('pay', {})).reason).toBe(RefusedReason.SERVER_UNAVAILABLE);
  const again = await legacyServer({ port: server.port });
  await eventually(() => bridge.describe()[0]?.ready, 'the server is back');
  finishedOf(await execute('pay', {}));
  expect(again.calls()).toBe(1);
});

test.each([
  ['when its list is read', 0],
  ['when the call is to be sent', 60_000],
])('a call that finds its server away %s waits for it, and is made once', async (_, approvedListFreshMs) => {
  const server = await legacyServer();
  const bounds = { backoffFirstMs: 50, callWaitMs: 60_000, approvedListFreshMs };
  const { execute, bridge } = await startBridge([httpServer('l', server.url)], { bounds });
  await server.close();
  await eventually(() => fetch(server.url).then(() => false, isRefused), 'closed connections are noticed');
  const waiting = execute('pay', {});
  await eventually(() => bridge.describe()[0]?.ready === false, 'the server is down');
  const again = await legacyServer({ port: server.port });
  finishedOf(await waiting);
  expect(again.calls()).toBe(1);
});

test('a connection that breaks inside a call makes it unknown; a read-only one is repeated', async () => {
  let breaks = 1;
  const server = await legacyServer({
    onCall: (request, response, { id }) => {
      breaks -= 1;
      if (breaks >= 0) request.socket.destroy();
      else json(response, textResult(id, 'done'));
    },
  });
  const { execute, bridge } = await startBridge([httpServer('l', server.url)]);
  expect(unknownOf(await execute('pay', {}))).toMatch(
    /^the server "l" was lost while the call ran \(.*\); whether the call/,
  );
  expect(server.calls()).toBe(1);
  await eventually(() => bridge.describe()[0]?.ready, 'connected again');
  breaks = 2;
  expect(finishedOf(await execute('whoami', {})).content).toBe('done');
  expect(server.calls()).toBe(4);
});

test('a failure of the server itself is unknown, a refusal is a result', async () => {
  let status = 502;
  const server = await legacyServer({ onCall: (_request, response) => response.writeHead(status).end('why') });
  const { execute } = await startBridge([httpServer('l', server.url)]);
  expect(unknownOf(await execute('pay', {}))).toMatch(/^the server "l" answered HTTP 502; whether/);
  status = 429;
  expect(finishedOf(await execute('pay', {}))).toMatchObject({
    isError: true,
    content: expect.stringContaining('HTTP 429'),
  });
});

test('an answer that breaks off without a way to resume it is unknown before the time of the call is over', async () => {
  const server = await legacyServer({
    onCall: (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': working\n\n');
      setTimeout(() => response.destroy(), 20);
    },
  });
  const { execute } = await startBridge([httpServer('l', server.url, { timeoutMs: 60_000 })], {
    bounds: { streamResumeMs: 100 },
  });
  expect(unknownOf(await execute('pay', {}))).toMatch(
    /^the server "l" broke off its answer while the call ran; whether/,
  );
});

test('a session that the server forgot is renewed, and the call runs once', async () => {
  const server = await legacyServer();
  const { execute } = await startBridge([httpServer('l', server.url)]);
  server.forgetSessions();
  expect(finishedOf(await execute('pay', {})).isError).toBe(false);
  expect(server.seen.filter(({ rpc }) => rpc === 'initialize')).toHaveLength(2);
  // The first try was refused for want of a session.
  expect(server.calls()).toBe(2);
});

test('a session that is gone when the tools are listed again is told as that, and not as a wrong address', async () => {
  const server = await legacyServer();
  const { execute, logText } = await startBridge([httpServer('l', server.url)], { bounds: { listFreshMs: 0 } });
  server.forgetSessions();
  await execute('pay', {});
  expect(logText()).toMatch(/^MCP server "l" lost: its tools could not be listed: it has ended the session$/m);
});

test('an address is not said to be wrong at which a server was', () => {
  const notFound = Object.assign(new Error('Not Found'), { status: 404 });
  expect(connectionReason(notFound, { hasCredentials: false, isConnected: true })).toBe('it answered with HTTP 404');
});

test('a server that forgets each session is given up after the second, and the call did not run', async () => {
  const server = await legacyServer({
    onCall: (_request, response) => void response.writeHead(404).end('no such session'),
  });
  const { execute } = await startBridge([httpServer('l', server.url)]);
  expect(refusedOf(await execute('pay', {}))).toMatchObject({
    reason: RefusedReason.SERVER_UNAVAILABLE,
    message: 'the server "l" does not keep its sessions; the call was not sent',
  });
  expect(server.calls()).toBe(2);
});

test.each([
  ['', 'Bad Request: No valid session ID provided'],
  ['application/json', '{"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}'],
])('a session that an official server does not know (%s) is renewed, whatever the call does', async (_type, text) => {
  let refusals = 1;
  const server = await legacyServer({
    onCall: (_request, response, { id }) => {
      refusals -= 1;
      if (refusals >= 0) response.writeHead(400).end(text);
      else json(response, textResult(id, 'done'));
    },
  });
  const { execute } = await startBridge([httpServer('l', server.url)]);
  expect(finishedOf(await execute('pay', {})).content).toBe('done');
  expect(server.calls()).toBe(2);
});

test('a refusal that only speaks of a session is unknown, and a reason to repeat only what is safe to repeat', async () => {
  let refusals = 1;
  const server = await legacyServer({
    onCall: (_request, response, { id }) => {
      refusals -= 1;
      if (refusals >= 0) response.writeHead(400).end('the session of the bank ended after the transfer');
      else json(response, textResult(id, 'done'));
    },
  });
  const { execute, bridge } = await startBridge([httpServer('l', server.url)]);
  expect(unknownOf(await execute('pay', {}))).toMatch(
    /^the server "l" answered HTTP 400: .* ended after the transfer; /,
  );
  expect(server.calls()).toBe(1);
  await eventually(() => bridge.describe()[0]?.ready, 'connected again');
  refusals = 1;
  expect(finishedOf(await execute('whoami', {})).content).toBe('done');
  expect(server.calls()).toBe(3);
});

test('a canceled call over HTTP is told to its server, and what it still answers is the outcome', async () => {
  let finish: (() => void) | undefined;
  let called: number | undefined;
  const server = await legacyServer({
    onCall: (_request, response, { id }) => {
      called = id;
      finish = () => json(response, textResult(id, 'paid meanwhile'));
    },
    before: (_request, _response, { method, params }) => {
      if (method === 'notifications/cancelled' && params.requestId === called) finish?.();
    },
  });
  const { client, execute, keyOf, instance } = await startBridge([httpServer('l', server.url)], {
    bounds: { cancelWaitMs: 60_000 },
  });
  const running = execute('pay', {}, { call: 'one' });
  await eventually(() => finish, 'the call runs');
  await client.cancelCall({ key: keyOf('one'), instance });
  expect(finishedOf(await running)).toMatchObject({ content: 'paid meanwhile', isError: false });
});

test('stopping ends all, and tells of each that could not be ended', async () => {
  const fails = {
    onDelete: (_request: unknown, response: { writeHead(status: number): { end(): unknown } }) =>
      void response.writeHead(500).end(),
  };
  const a = await legacyServer(fails);
  const b = scriptedServer('b', ['--prefix=b_']);
  const c = await legacyServer({ ...fails, before: renamed('c_') });
  const { bridge } = await startBridge([httpServer('a', a.url), b.config, httpServer('c', c.url)]);
  await expect(bridge.stop()).rejects.toThrow(
    new Error(
      'errors stopping MCP clients: a: its session could not be ended (HTTP 500); c: its session could not be ended (HTTP 500)',
    ),
  );
  expect(b.pids().filter(isAlive)).toEqual([]);
});

function isRefused(error: Error): boolean {
  return JSON.stringify(error.cause).includes('ECONNREFUSED');
}

function renamed(prefix: string) {
  return (_request: unknown, response: Parameters<typeof json>[0], message: { id?: number; method: string }) => {
    if (message.method !== 'tools/list') return;
    const tools = [{ name: `${prefix}pay`, inputSchema: { type: 'object' } }];
    json(response, { jsonrpc: '2.0', id: message.id, result: { tools } });
  };
}

test('the official server keeps working over HTTP when it is killed and started again', async () => {
  const require = createRequire(import.meta.url);
  const script = join(require.resolve('@modelcontextprotocol/server-everything/package.json'), '../dist/index.js');
  const place = await listen(() => undefined);
  await place.close();
  const start = () => {
    const child = spawn(process.execPath, [script, 'streamableHttp'], {
      env: { PATH: process.env.PATH, PORT: String(place.port) },
      stdio: 'ignore',
    });
    afterwards(() => child.kill('SIGKILL'));
    return child;
  };
  const first = start();
  const { execute } = await startBridge([httpServer('everything', place.url, { era: 'auto' })], {
    bounds: { httpStartPauseMs: 50 },
  });
  expect(finishedOf(await execute('echo', { message: 'hi' })).content).toBe('Echo: hi');
  const ended = new Promise((resolve) => first.once('exit', resolve));
  first.kill('SIGKILL');
  await ended;
  start();
  const echoed = await eventually(async () => {
    const outcome = await execute('echo', { message: 'again' });
    return outcome.case === 'finished' ? outcome.value : undefined;
  }, 'the server is back');
  expect(echoed).toMatchObject({ isError: false, content: 'Echo: again' });
});

test('where changes are not told, a list that is old is read again before a call', async () => {
  let destructive = false;
  const server = await legacyServer({
    before: (_request, response, { id, method }) => {
      if (method !== 'tools/list') return;
      const tool = { name: 'pay', inputSchema: { type: 'object' }, annotations: { destructiveHint: destructive } };
      json(response, { jsonrpc: '2.0', id, result: { tools: [tool] } });
    },
  });
  let now = 0;
  const { client, keyOf, instance, execute, toolNamed } = await startBridge([httpServer('l', server.url)], {
    clock: () => now,
    bounds: { listFreshMs: 1_000 },
  });
  const { pin } = await toolNamed('pay');
  destructive = true;
  finishedOf(await execute('pay', {}, { pin }));
  now = 1_000;
  // Without asking for the tools before, which would read them again as well.
  const request = { key: keyOf('late'), instance, server: 'l', tool: 'pay', argumentsJson: '{}', pin };
  expect(refusedOf((await client.execute(request)).outcome).reason).toBe(RefusedReason.TOOL_HELD);
  expect(server.calls()).toBe(1);
});

test.each(['older', 'newer'])(
  'a server of the %s protocol that comes back speaking the other is found out',
  async (before) => {
    const older = (port: number) => legacyServer({ port });
    const newer = (port: number) => modernServer('', port);
    const [start, restart] = before === 'older' ? [older, newer] : [newer, older];
    const first = await start(0);
    const { bridge, execute } = await startBridge([httpServer('l', first.url, { era: 'auto' })]);
    await first.close();
    await eventually(() => fetch(first.url).then(() => false, isRefused), 'closed connections are noticed');
    expect((await execute('pay', {})).case).toBe('refused');
    await restart(first.port);
    await eventually(() => bridge.describe()[0]?.ready, 'the server is back');
    expect(finishedOf(await execute('pay', {})).content).toBe('pay: nobody');
  },
);

test.each(['legacy', 'modern'] as const)('our own server works over HTTP in the %s era', async (era) => {
  const folder = temporaryFolder();
  const script = fileURLToPath(new URL('../../../mcp-servers/resources/src/main.ts', import.meta.url));
  const args = [...nodeArguments(script), '--http', '--port', '0', '--db', join(folder, 'r.db')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  afterwards(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const url = await eventually(() => /listening on (\S+)/.exec(said)?.[1], 'it listens');
  const { execute, approval } = await startBridge([httpServer('resources', url, { era })]);
  const add = { name: 'my-test', value: 42 };
  finishedOf(await execute('resources_add', add, await approval('resources_add', add)));
  expect(finishedOf(await execute('resources_list', {})).content).toContain('"my-test"');
});
