import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { mayCarryToken, shownUrl } from '../src/http-fetch.ts';
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
const token = 'alice-token-0123456789';

test('a server of the newer protocol only is used, and its changes are followed', async () => {
  const server = await modernServer();
  const { tools, execute } = await startBridge([httpServer('m', server.url, { era: 'auto' })]);
  expect(finishedOf(await execute('whoami', {})).content).toBe('whoami: nobody');
  server.offered.push({ name: 'later', inputSchema: { type: 'object' } });
  server.changed();
  await eventually(async () => (await tools()).some(({ name }) => name === 'later'), 'the new tool');
});

test('era modern insists on the newer protocol, era legacy on the older', async () => {
  const modern = await modernServer();
  const legacy = await legacyServer();
  const { execute } = await startBridge([httpServer('m', modern.url, { era: 'modern' })]);
  finishedOf(await execute('whoami', {}));
  const short = { bounds: { httpStartMs: 300, httpStartPauseMs: 100 } };
  await expect(startBridge([httpServer('m', modern.url, { era: 'legacy' })], short)).rejects.toThrow(
    /failed to start MCP server "m": .*[Uu]nsupported protocol version/,
  );
  await expect(startBridge([httpServer('l', legacy.url, { era: 'modern' })], short)).rejects.toThrow(
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
  const { execute, tools, lines } = await startBridge([httpServer('m', server.url, { era: 'modern' })]);
  expect((await tools()).map(({ name }) => name)).toEqual(['whoami', 'pay', 'good']);
  expect(lines.map(({ message }) => message)).toContain(
    'MCP server "m": tool "bad": its x-mcp-header declarations are not valid; the tool is left out',
  );
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

test.each(['modern', 'legacy'] as const)(
  'each call carries the token of its own caller, and nothing else does: %s',
  async (era) => {
    const servers = [era === 'modern' ? await modernServer() : await legacyServer()];
    const [server] = servers;
    if (server === undefined) return;
    const { execute, toolNamed, logText } = await startBridge([httpServer('s', server.url, { era })]);
    expect((await toolNamed('whoami')).forwardsBearer).toBe(true);
    await Promise.all([
      execute('whoami', {}, { token }),
      execute('whoami', {}, { token: 'bob-token-0123456789' }),
      execute('whoami', {}),
      execute('whoami', {}, { token }),
    ]);
    const sent = (rpc: boolean) =>
      server.seen.filter((one) => (one.rpc === 'tools/call') === rpc).map((one) => one.authorization);
    expect(sent(true)).toEqual([`Bearer ${token}`, 'Bearer bob-token-0123456789', undefined, `Bearer ${token}`]);
    expect(new Set(sent(false))).toEqual(new Set([undefined]));
    expect(logText()).not.toContain(token);
  },
);

test('concurrent callers of two servers do not mix', async () => {
  const one = await modernServer();
  const other = await modernServer('o_');
  const { execute } = await startBridge(
    [httpServer('one', one.url), httpServer('other', other.url)].map((s) => ({ ...s, era: 'modern' })),
  );
  await Promise.all([execute('whoami', {}, { token }), execute('o_whoami', {}, { token: 'bob-token-0123456789' })]);
  const sentTo = (server: typeof one) => server.seen.flatMap(({ authorization }) => authorization ?? []);
  expect(sentTo(one)).toEqual([`Bearer ${token}`]);
  expect(sentTo(other)).toEqual(['Bearer bob-token-0123456789']);
});

test('auth: none sends no token', async () => {
  const server = await modernServer();
  const config = httpServer('s', server.url, { era: 'modern' });
  const { execute, toolNamed } = await startBridge([
    { ...config, transport: { kind: 'http', url: server.url, auth: 'none' } },
  ]);
  expect((await toolNamed('whoami')).forwardsBearer).toBe(false);
  expect(finishedOf(await execute('whoami', {}, { token })).content).toBe('whoami: nobody');
});

test('a token goes over https or within this machine only', () => {
  for (const url of [
    'https://tools.example/mcp',
    'http://127.0.0.1:1/mcp',
    'http://localhost/mcp',
    'http://[::1]:1/mcp',
  ]) {
    expect(mayCarryToken(url), url).toBe(true);
  }
  for (const url of [
    'http://tools.example/mcp',
    'http://10.0.0.1/mcp',
    'http://127.0.0.1.example/mcp',
    'http://localhost.example/',
  ]) {
    expect(mayCarryToken(url), url).toBe(false);
  }
  expect(shownUrl('https://user:pass@tools.example/mcp?key=abc#x')).toBe('https://tools.example/mcp');
});

test('a token that the server repeats is taken out of results, errors and logs', async () => {
  let status = 200;
  const server = await legacyServer({
    onCall: (_request, response, { id }) => {
      if (status === 200) json(response, textResult(id, `you are ${token}!`));
      else response.writeHead(status).end(`bad token ${token}`);
    },
  });
  const { execute, logText } = await startBridge([httpServer('l', server.url)]);
  expect(finishedOf(await execute('pay', {}, { token })).content).toBe('you are [secret]!');
  status = 403;
  const refused = finishedOf(await execute('pay', {}, { token }));
  expect(refused.isError).toBe(true);
  expect(refused.content).toContain('bad token [secret]');
  status = 500;
  expect(unknownOf(await execute('pay', {}, { token }))).not.toContain(token);
  expect(logText()).not.toContain(token);
});

test('a redirect is an error that names it, and neither call nor token follows', async () => {
  const reached: (string | undefined)[] = [];
  const elsewhere = await listen((request, response) => {
    reached.push(request.headers.authorization);
    response.end();
  });
  const server = await legacyServer({
    onCall: (_request, response) => response.writeHead(307, { location: `${elsewhere.url}?secret=1` }).end(),
  });
  const { execute } = await startBridge([httpServer('l', server.url)]);
  const result = finishedOf(await execute('pay', {}, { token }));
  expect(result.isError).toBe(true);
  expect(result.content).toContain(
    `answered with a redirect (HTTP 307) to ${elsewhere.url}; redirects are not followed`,
  );
  expect(result.content).not.toContain('secret=1');
  expect(reached).toEqual([]);
});

test('401 to a call says that authentication is required; the call did not run', async () => {
  const server = await legacyServer({
    onCall: (request, response, { id }) => {
      if (request.headers.authorization === `Bearer ${token}`) json(response, textResult(id, 'welcome'));
      else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    },
  });
  const { execute } = await startBridge([httpServer('l', server.url)]);
  const refused = refusedOf(await execute('pay', {}));
  expect(refused.reason).toBe(RefusedReason.UNAUTHENTICATED);
  expect(refused.message).toBe('Authentication required to access the l server.');
  expect(finishedOf(await execute('pay', {}, { token })).content).toBe('welcome');
});

test('401 to the connection itself fails the start at once', async () => {
  const server = await listen((_request, response) => response.writeHead(401).end());
  const started = startBridge([httpServer('l', server.url)], { bounds: { httpStartMs: 60_000 } });
  await expect(started).rejects.toThrow('failed to start MCP server "l": it requires authorization (HTTP 401)');
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

test('the start gives up on an HTTP server that never comes', async () => {
  const place = await listen(() => undefined);
  await place.close();
  const good = scriptedServer('good');
  const starting = startBridge([good.config, httpServer('never', place.url)], {
    bounds: { httpStartMs: 300, httpStartPauseMs: 100 },
  });
  await expect(starting).rejects.toThrow(
    `failed to start MCP clients: failed to start MCP server "never": no connection to ${place.url} (ECONNREFUSED)`,
  );
  expect(good.pids().filter(isAlive)).toEqual([]);
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

test('an answer larger than the bound is an error, however it is sent', async () => {
  let stream = false;
  const server = await legacyServer({
    onCall: (_request, response, { id }) => {
      const body = JSON.stringify(textResult(id, 'x'.repeat(200_000)));
      if (stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\n`);
      else json(response, JSON.parse(body));
    },
  });
  const { execute } = await startBridge([httpServer('l', server.url)], {
    bounds: { messageBytesMax: 100_000, streamResumeMs: 50 },
  });
  for (stream of [false, true]) {
    expect(finishedOf(await execute('pay', {}))).toMatchObject({
      isError: true,
      content: 'Tool execution failed: the result of the server "l" is too large',
    });
  }
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
  expect(refusedOf((await client.execute(request)).outcome).reason).toBe(RefusedReason.PIN_CHANGED);
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

test('a token that cannot stand in a header is refused before anything is sent', async () => {
  const server = await legacyServer();
  const { execute, logText } = await startBridge([httpServer('l', server.url)]);
  const refused = refusedOf(await execute('pay', {}, { token: 'alice-token\r\nx-admin: 1' }));
  expect(refused.reason).toBe(RefusedReason.UNAUTHENTICATED);
  expect(server.calls()).toBe(0);
  expect(refused.message + logText()).not.toContain('alice');
});

test.each(['legacy', 'modern'] as const)('our own server works over HTTP in the %s era', async (era) => {
  const folder = temporaryFolder();
  const script = fileURLToPath(new URL('../../../mcp-servers/resources/src/main.ts', import.meta.url));
  const args = [
    '--import',
    'tsx',
    '--conditions=source',
    script,
    '--http',
    '--port',
    '0',
    '--db',
    join(folder, 'r.db'),
  ];
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
