import { expect, test } from 'vitest';
import { eventually, httpServer, isAlive, refusedOf, scriptedServer, startBridge } from './support/bridge.ts';
import { legacyServer, listen } from './support/http.ts';

/** At a server that answers, which may take its time. */
const oneAttempt = { httpStartMs: 10_000, httpStartPauseMs: 10_000 };

test.each<[string, number, string, string]>([
  ['a proxy that refuses', 403, 'text/plain', 'it answered with HTTP 403'],
  ['a server that fails', 500, 'text/plain', 'it answered with HTTP 500'],
  [
    'an address that is none',
    404,
    'text/plain',
    'it answered with HTTP 404: {"page":1}; no MCP server is there: check its address, URL (its path is often /mcp)',
  ],
  ['a web page', 200, 'text/html', 'it answered with "text/html", not as an MCP server does; check its address, URL'],
  [
    'another API',
    200,
    'application/json',
    'it answered with what is no message of the protocol; check its address, URL',
  ],
])('%s is told by what it answered', async (_, status, type, reason) => {
  const server = await listen((_request, response) =>
    response.writeHead(status, { 'content-type': type }).end('{"page":1}'),
  );
  for (const era of ['auto', 'legacy'] as const) {
    const started = startBridge([httpServer('h', server.url, { era })], { bounds: oneAttempt });
    await expect(started).rejects.toThrow(`failed to start MCP server "h": ${reason.replace('URL', server.url)}`);
  }
});

test('where something else answers, a start tries three times, and does not say that it may come', async () => {
  let asked = 0;
  const server = await listen((request, response) => {
    if (request.method === 'POST') asked += 1;
    response.writeHead(404).end();
  });
  const address = `${server.url}?key=k-0123456789`;
  const tries: string[] = [];
  const started = startBridge([httpServer('h', address, { era: 'legacy' })], {
    bounds: { httpStartPauseMs: 1 },
    onLine: ({ message }) => tries.push(...(/attempt (\d+\/\d+)/.exec(message)?.slice(1) ?? [])),
  });
  const failure = await started.catch((error: unknown) => error);
  expect(tries).toEqual(['1/3', '2/3']);
  expect(String(failure)).toMatch(
    /^Error: failed to start .* HTTP 404; .* check its address, http:\S+\/mcp \(its path/,
  );
  expect(String(failure)).not.toContain('k-0123456789');
  expect([asked, failure]).toEqual([3, expect.not.objectContaining({ kind: 'unavailable' })]);
});

test('a server that was given time is waited for as long, whatever answers in its place', async () => {
  const proxy = await listen((_request, response) => response.writeHead(404).end());
  const tries: string[] = [];
  let server: Promise<unknown> | undefined;
  const { execute } = await startBridge([httpServer('h', proxy.url, { startTimeoutMs: 20_000 })], {
    bounds: { httpStartPauseMs: 20 },
    onLine: ({ message }) => {
      tries.push(...(/attempt (\d+\/\d+)/.exec(message)?.slice(1) ?? []));
      if (tries.length === 4) server ??= proxy.close().then(() => legacyServer({ port: proxy.port }));
    },
  });
  await server;
  expect(tries.slice(0, 4)).toEqual(['1/1000', '2/1000', '3/1000', '4/1000']);
  expect(await execute('pay', {})).toMatchObject({ case: 'finished' });
});

test('a port that HTTP never goes to is refused at once, with its address', async () => {
  const started = startBridge([httpServer('h', 'http://127.0.0.1:1/mcp', { era: 'auto' })]);
  await expect(started).rejects.toThrow(
    'no request is made to http://127.0.0.1:1/mcp: its port is one of those that HTTP never goes to',
  );
});

test('the start gives up on an HTTP server that never comes, and says that it may yet', async () => {
  const place = await listen(() => undefined);
  await place.close();
  const good = scriptedServer('good');
  const starting = startBridge([good.config, httpServer('never', place.url)], {
    bounds: { httpStartMs: 300, httpStartPauseMs: 100 },
  });
  // Whoever can wait longer is told that it may help.
  await expect(starting).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining(
      `failed to start MCP clients: failed to start MCP server "never": no connection to ${place.url} (ECONNREFUSED)`,
    ),
  });
  expect(good.pids().filter(isAlive)).toEqual([]);
});

test('a server that may take long for its start may do so when it comes back, too', async () => {
  const server = await legacyServer();
  const { execute, bridge } = await startBridge([httpServer('l', server.url, { startTimeoutMs: 20_000 })], {
    // Less than any answer takes.
    bounds: { backoffFirstMs: 50, reconnectMs: 1 },
  });
  await server.close();
  const isClosed = () =>
    fetch(server.url).then(
      () => false,
      () => true,
    );
  await eventually(isClosed, 'closed connections are noticed');
  refusedOf(await execute('pay', {}));
  await legacyServer({ port: server.port });
  await eventually(() => bridge.describe()[0]?.ready, 'the server is back');
});

test.each([400, 404, 405])(
  'the old SSE transport is told apart in one line, where a POST gets HTTP %i',
  async (status) => {
    const server = await listen((request, response) => {
      if (request.method !== 'GET') return void response.writeHead(status).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\nevent: endp');
      response.write('oint\ndata: /messages?sessionId=1\n\n');
    });
    for (const era of ['auto', 'legacy', 'modern'] as const) {
      const started = startBridge([httpServer('h', server.url, { era })], { bounds: oneAttempt });
      const failure = await started.catch((error: unknown) => error);
      expect(String(failure)).toBe(
        'Error: failed to start MCP clients: failed to start MCP server "h": it speaks only the old HTTP+SSE transport (protocol 2024-11-05), ' +
          'which is not supported; use its address for Streamable HTTP (often /mcp in place of /sse), or start a proxy that translates, ' +
          'such as mcp-remote, with command',
      );
    }
  },
);

test.each([
  ['another event stream', 'text/event-stream', 'data: event: endpoint\n\n'],
  ['a page that speaks of it', 'text/html', 'event: endpoint\n'],
])('%s is not taken for the old transport', async (_, type, text) => {
  const server = await listen((request, response) => {
    if (request.method !== 'GET') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': type }).write(text);
  });
  const started = startBridge([httpServer('h', server.url)], { bounds: { ...oneAttempt, oldTransportMs: 100 } });
  await expect(started).rejects.toThrow('failed to start MCP server "h": it answered with HTTP 404');
});
