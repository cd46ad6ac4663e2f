import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Logger } from '@stopgo/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StartedWeb, startWeb } from '../src/index.ts';

const log = { info() {}, warn() {}, error() {}, debug() {} } as unknown as Logger;

type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

let folder: string;
let web: StartedWeb;
let seen: Seen[];
/** How the gateway answers. */
let answer: (req: IncomingMessage, res: ServerResponse) => void;
const gateway = createServer(async (req, res) => {
  seen.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body: await text(req) });
  answer(req, res);
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-web-'));
  seen = [];
  answer = (_req, res) =>
    res.writeHead(201, { 'content-type': 'application/json', 'x-secret': 'no' }).end('{"ok":true}');
  if (!gateway.listening) await once(gateway.listen(0, '127.0.0.1'), 'listening');
  web = await start();
});
afterEach(async () => {
  await web.stop();
  gateway.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const agentUrl = () => `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
const start = (port = 0, nextPort = false) =>
  startWeb({ config: { agentUrl: agentUrl(), host: '127.0.0.1', port, allowedHosts: [] }, log, folder, nextPort });

function build(page = '<meta nonce="%CSP_NONCE%"><title>app</title>'): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'assets/app-1a2b.js'), 'let a');
  writeFileSync(join(folder, 'assets/app-1a2b.js.gz'), gzipSync('let a'));
  writeFileSync(join(folder, 'secret.key'), 'nobody asked for it');
}

type Sent = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string };

/** A request as it stands, whatever a browser would make of it. */
function send(path: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) {
  const { hostname, port } = new URL(web.address);
  return new Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, path, method, headers, agent: false }, (res) => {
      const { statusCode: status = 0, headers: answered } = res;
      text(res).then((body) => resolve({ status, headers: answered, text: body }), reject);
    });
    outgoing.on('error', reject).end(body);
  });
}

describe('the pages', () => {
  test('say that the app is being built, and are the app as soon as it is', async () => {
    const before = await send('/');
    expect(before.text).toContain('http-equiv="refresh"');
    build();
    expect((await send('/c/1')).text).toContain('<title>app</title>');
  });

  test('say that the app could not be built and why, ask for nothing again, and are the app once it is there', async () => {
    web.buildFailed('app.tsx:1 <b>unexpected</b>');
    const { status, text: body } = await send('/c/1');
    expect(status).toBe(503);
    expect(body).toContain('The app could not be built');
    expect(body).toContain('app.tsx:1 &lt;b&gt;unexpected&lt;/b&gt;');
    expect(body).not.toContain('http-equiv="refresh"');
    build();
    expect((await send('/c/1')).text).toContain('<title>app</title>');
  });

  test('run no script of anybody else, and each has a nonce of its own', async () => {
    build();
    const [one, other] = [await send('/'), await send('/approvals')];
    const nonce = /'nonce-([^']+)'/.exec(String(one.headers['content-security-policy']))?.[1] ?? '';
    expect(one.text).toContain(`nonce="${nonce}"`);
    expect(other.text).not.toContain(nonce);
    const policy = String(one.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(one.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  });

  test('files with a digest in their name are kept, and sent packed to who takes that', async () => {
    build();
    web.refresh();
    const packed = await send('/assets/app-1a2b.js', { headers: { 'accept-encoding': 'gzip;q=0.5, br;q=0' } });
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await send('/assets/app-1a2b.js')).text).toBe('let a');
    expect((await send('/assets/gone.js')).status).toBe(404);
  });

  test.each(['/secret.key', '/../package.json', '/assets/../secret.key', '/%2e%2e/package.json', '/index.html'])(
    'nothing else is served: %s',
    async (path) => {
      build();
      web.refresh();
      const { status, text: body } = await send(path);
      expect(body).not.toContain('nobody asked');
      expect(status === 404 || body.includes('<title>app</title>')).toBe(true);
    },
  );

  test('a name that nobody wrote down is not answered, since it may have been bent to here', async () => {
    build();
    expect((await send('/', { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await send('/', { headers: { host: 'localhost' } })).status).toBe(200);
  });
});

describe('requests to the gateway', () => {
  test('go on as they are, without cookies, and come back without what the browser need not know', async () => {
    const {
      status,
      headers,
      text: body,
    } = await send('/api/conversations?limit=2', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'sgo_1', cookie: 'a=b', 'idempotency-key': 'k' },
      body: '{"n":12345678901234567890}',
    });
    expect({ status, body }).toEqual({ status: 201, body: '{"ok":true}' });
    expect(headers).not.toHaveProperty('x-secret');
    expect(seen).toMatchObject([{ method: 'POST', url: '/conversations?limit=2', body: '{"n":12345678901234567890}' }]);
    expect(seen[0]?.headers).toMatchObject({ 'x-api-key': 'sgo_1', 'idempotency-key': 'k' });
    expect(seen[0]?.headers).not.toHaveProperty('cookie');
  });

  test.each([
    ['another origin', { origin: 'http://evil.example' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['a host of another name', { host: 'evil.example' }],
  ])('of %s are refused', async (_, headers) => {
    const { status } = await send('/api/approvals/x', { method: 'POST', headers, body: '{"approved":true}' });
    expect({ status, seen }).toEqual({ status: 403, seen: [] });
  });

  test('an event stream arrives piece by piece, and ends at the gateway when its reader leaves', async () => {
    const left = new Promise<void>((resolve) => {
      answer = (req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.flushHeaders();
        res.write('id: 1\n\n');
        req.socket.once('close', () => resolve());
      };
    });
    const reader = new AbortController();
    const response = await fetch(`${web.address}/api/approvals/events`, { signal: reader.signal });
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toBe('id: 1\n\n');
    reader.abort();
    await left;
  });

  test('a gateway that is not there is said to be away, and an answer that breaks off breaks off', async () => {
    answer = (req) => req.socket.destroy();
    const reply = await send('/api/conversations', { method: 'POST', body: '{}' });
    expect(reply.status).toBe(502);
    expect(reply.text).toMatch(/unknown/);
    expect((await send('/api/conversations')).text).not.toMatch(/unknown/);
    answer = (_req, res) => {
      // Without a length: only how it ends tells whether it is whole.
      res.writeHead(200, { 'content-type': 'application/json' });
      res.write('half', () => res.destroy());
    };
    await expect(send('/api/conversations')).rejects.toThrow();
  });
});

describe('a platform below a path of its host', () => {
  test('is all that is reached: no path leads to what is beside it', async () => {
    const below = await startWeb({
      config: { agentUrl: `${agentUrl()}/platform`, host: '127.0.0.1', port: 0, allowedHosts: [] },
      ...{ log, folder },
    });
    const before = web;
    web = below;
    try {
      for (const path of ['/api/../admin', '/api/..', '/api/%2e%2e/admin', '/api/a/..%2f..%2fadmin', '/api/..\\admin'])
        expect([path, (await send(path)).status]).toEqual([path, 400]);
      const approve = { method: 'POST', body: '{"uuid":"..","approved":true}' };
      expect((await send('/api/approve', approve)).status).toBe(400);
      expect(seen).toEqual([]);
      await send('/api/conversations?q=..');
      expect(seen.map(({ url }) => url)).toEqual(['/platform/conversations?q=..']);
    } finally {
      await below.stop();
      web = before;
    }
  });
});

test('who leaves in the middle of a request raises no alarm', async () => {
  const errors: string[] = [];
  const noting = { ...log, error: (text: string) => errors.push(text) } as unknown as Logger;
  const config = { agentUrl: agentUrl(), host: '127.0.0.1', port: 0, allowedHosts: [] };
  const watched = await startWeb({ config, log: noting, folder });
  const { hostname, port } = new URL(watched.address);
  for (const path of ['/api/send', '/api/conversations']) {
    const socket = connect(Number(port), hostname);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`);
    // The server has it once it says that the body may come.
    expect(String((await once(socket, 'data'))[0])).toContain('100 Continue');
    socket.destroy();
    await once(socket, 'close');
  }
  // It waits for those requests, so that whatever they raise is there by then.
  await watched.stop();
  expect(errors).toEqual([]);
});

describe('the routes of few words', () => {
  const post = (path: string, body: object | string) =>
    send(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });

  test('send and approve are one request to the gateway each', async () => {
    await post('/api/send', { message: 'hi' });
    await post('/api/send', { message: 'hi', conversation_id: 'c/1' });
    await post('/api/approve', { uuid: 'a1', approved: false });
    await send('/api/conversation/c1');
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/conversations', '{"message":"hi"}'],
      ['POST', '/conversations/c%2F1/messages', '{"message":"hi"}'],
      ['POST', '/approvals/a1', '{"approved":false}'],
      ['GET', '/conversations/c1', ''],
    ]);
  });

  test.each([
    ['/api/send', 'nonsense', 'invalid request'],
    ['/api/send', { message: ' ' }, 'message is required'],
    ['/api/approve', { approved: true }, 'uuid is required'],
    ['/api/approve', { uuid: 'a1' }, 'approved is required: true or false'],
  ])('%s refuses %j', async (path, body, error) => {
    const reply = await post(path, body);
    expect([reply.status, JSON.parse(reply.text), seen]).toEqual([400, { error }, []]);
  });
});

test('where its port is taken it says so, or takes the next one if it may', async () => {
  const taken = createTcpServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as AddressInfo;
  await expect(start(port)).rejects.toThrow(/the port is in use/);
  const other = await start(port, true);
  expect(Number(new URL(other.address).port)).toBeGreaterThan(port);
  await other.stop();
  taken.close();
});
