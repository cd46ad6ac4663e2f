import { getEventListeners, once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { createBoundedFetch } from '../src/bounded-fetch.ts';

const undo: (() => void)[] = [];

afterEach(() => {
  for (const step of undo.splice(0)) step();
});

/** A server on a port of its own, and the connections that were made to it. */
async function serve(
  listener: RequestListener,
): Promise<{ readonly url: string; readonly sockets: readonly Socket[] }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  await once(server, 'listening');
  undo.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

test('what is sent and what comes back is whole, and the connection is kept', async () => {
  const { url, sockets } = await serve(async (request, response) => {
    const { method, headers } = request;
    response.setHeader('x-asked', `${method} ${headers['x-key']} ${headers['content-length']}`);
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.statusCode = 429;
    response.end((await text(request)).repeat(400_000));
  });
  const fetch = createBoundedFetch();
  for (let time = 0; time < 2; time += 1) {
    const init = { method: 'POST', headers: new Headers({ 'X-Key': 'k' }), body: 'schön' };
    const response = await fetch(`${url}/v1?alt=sse`, init);
    expect(response).toMatchObject({ status: 429, ok: false, statusText: 'Too Many Requests' });
    expect(response.headers.get('x-asked')).toBe('POST k 6');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect((await response.text()) === 'schön'.repeat(400_000)).toBe(true);
  }
  expect(sockets).toHaveLength(1);
});

test('pieces arrive as they are sent', async () => {
  let goOn = (): void => undefined;
  const { url } = await serve((_, response) => {
    response.write('one');
    goOn = () => response.end('two');
  });
  const reader = (await createBoundedFetch()(url)).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
  goOn();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
  expect(await reader?.read()).toMatchObject({ done: true });
});

test('an abort rejects with its reason and closes the connection: before, while it waits, and in the body', async () => {
  const { url, sockets } = await serve((request, response) => {
    if (request.url === '/body') response.write('begun');
  });
  const fetch = createBoundedFetch();
  const reason = new Error('enough');
  await expect(fetch(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(sockets).toHaveLength(0);

  for (const path of ['/nothing', '/body']) {
    const giveUp = new AbortController();
    const answer = fetch(url + path, { signal: giveUp.signal }).then((response) => {
      setImmediate(() => giveUp.abort(reason));
      return response.text();
    });
    answer.catch(() => undefined);
    await expect.poll(() => sockets.length).toBe(1);
    if (path === '/nothing') giveUp.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true);
    (sockets as Socket[]).length = 0;
  }
});

test('an abort after the end is not heard: the connection is left to the next request', async () => {
  const { url, sockets } = await serve((request, response) => {
    response.end(request.url);
  });
  const fetch = createBoundedFetch();
  const over = new AbortController();
  await (await fetch(`${url}/1`, { signal: over.signal })).text();
  const next = fetch(`${url}/2`).then((response) => response.text());
  expect(getEventListeners(over.signal, 'abort')).toHaveLength(0);
  over.abort();
  expect(await next).toBe('/2');
  expect(sockets).toHaveLength(1);
});

test('a connection that cannot be made, or is lost, is an error that tells why', async () => {
  const { url, sockets } = await serve((_, response) => {
    response.write('begun');
    setImmediate(() => sockets[0]?.resetAndDestroy());
  });
  const fetch = createBoundedFetch();
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const refused = { name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNREFUSED' } };
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject(refused);
  const lost = { name: 'TypeError', message: 'terminated', cause: { code: 'ECONNRESET' } };
  await expect(fetch(url).then((response) => response.text())).rejects.toMatchObject(lost);
});

test('an answer without end is an error, and its connection is closed', async () => {
  const { url, sockets } = await serve((request, response) => {
    if (request.url !== '/') return void response.end(Buffer.alloc(Number(request.url?.slice(1))));
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(10_000)));
    };
    response.on('drain', more);
    more();
  });
  const fetch = createBoundedFetch(1_000);
  expect((await (await fetch(`${url}/1000`)).arrayBuffer()).byteLength).toBe(1_000);
  // The one ends in the very piece that is too much.
  for (const path of ['/1001', '/'])
    await expect(fetch(url + path).then((answer) => answer.text())).rejects.toThrow(
      'the answer has more than 1000 bytes',
    );
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true);
});

test('an answer of more JSON values than anybody parses is an error; of a stream of events each counts for itself', async () => {
  const half = `[${Array(130_000).fill('1').join(',')}]`;
  const { url } = await serve((request, response) => {
    const isStream = request.url === '/stream';
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    response.end(isStream ? `data: ${half}\n\ndata: ${half}\n\n` : `[${half},${half}]`);
  });
  const fetch = createBoundedFetch();
  expect(await (await fetch(`${url}/stream`)).text()).toContain('data: ');
  await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow(
    'the answer has more than 250000 JSON values',
  );
});

test('a key goes nowhere else: a redirect is the answer', async () => {
  const { url } = await serve((request, response) => {
    response.writeHead(request.url === '/' ? 307 : 200, { location: '/elsewhere' }).end();
  });
  const response = await createBoundedFetch()(url, { method: 'POST', body: '', headers: { 'x-api-key': 'k' } });
  expect(response.status).toBe(307);
});

const strange = [
  [
    'compressed though nobody asked for it',
    '200 OK\r\ncontent-encoding: gzip',
    /compressed \(gzip\), which was not asked/,
  ],
  ['of a status that there is not', '999 ?', /status/],
  ['another protocol', '101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade', /closed without an answer/],
  ['no HTTP', '', /Parse Error/],
] as const;

test.each(strange)('an answer that is %s is an error', async (_, head, message) => {
  const server = createTcpServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => socket.write(`HTTP/1.1 ${head}\r\ncontent-length: 1\r\n\r\nx`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error: unknown = await createBoundedFetch()(url).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    name: 'TypeError',
    message: 'fetch failed',
    cause: { message: expect.stringMatching(message) },
  });
});
