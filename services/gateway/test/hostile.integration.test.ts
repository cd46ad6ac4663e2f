import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { gateway } from './support/gateway.ts';
import { raw } from './support/http.ts';

const HOST = 'Host: localhost\r\n';
const head = (answer: string) => answer.split('\r\n')[0];

describe('what is not sound HTTP', () => {
  test.each([
    ['garbage', '\x16\x03\x01\x02\x00\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    [
      'a header without end',
      `GET /health HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`,
      'HTTP/1.1 431 Request Header Fields Too Large',
    ],
    [
      'two lengths',
      `POST /conversations HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      'HTTP/1.1 400 Bad Request',
    ],
    [
      'a length and chunks',
      `POST /conversations HTTP/1.1\r\n${HOST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'HTTP/1.1 400 Bad Request',
    ],
    [
      'a header line with a bare line break',
      `GET /health HTTP/1.1\r\n${HOST}X: a\nY\r\n\r\n`,
      'HTTP/1.1 400 Bad Request',
    ],
  ])('%s is answered in JSON, logged, and the connection closed', async (_name, bytes, status) => {
    const { url, lines, calls } = await gateway({});
    const answer = await raw(url, bytes);
    expect(head(answer)).toBe(status);
    const [headers = '', body = ''] = answer.split('\r\n\r\n');
    expect(headers).toContain('Connection: close');
    expect(JSON.parse(body)).toHaveProperty('error');
    const sid = /X-Session-ID: (\w+)/.exec(headers)?.[1];
    expect(lines.join('')).toContain(`| - | - | sid=${sid}`);
    expect(calls).toEqual([]);
  });

  test('a body that breaks off in garbage is answered once, in place of its request', async () => {
    const { url, lines, calls } = await gateway({});
    const answer = await raw(
      url,
      `POST /conversations HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]).toContain('| POST | /conversations |');
    expect(calls).toEqual([]);
  });

  test('garbage after a request does not become its answer', async () => {
    let finish = () => {};
    const { url, calls } = await gateway({
      bridge: {
        listTools: () =>
          new Promise((resolve) => {
            finish = () => resolve({});
          }),
      },
    });
    const answer = await raw(url, `GET /tools HTTP/1.1\r\n${HOST}\r\n\x00\x01garbage\r\n\r\n`);
    expect(answer).toBe('');
    expect(calls).toHaveLength(1);
    finish();
  });
});

describe('requests that two readers could read in two ways', () => {
  test.each([
    ['two hosts', `GET /health HTTP/1.1\r\n${HOST}Host: evil.example\r\n`],
    ['two tokens', `GET /health HTTP/1.1\r\n${HOST}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n`],
    ['two sessions', `GET /health HTTP/1.1\r\n${HOST}X-Session-ID: a\r\nX-Session-ID: a\r\n`],
    ['two origins', `GET /health HTTP/1.1\r\n${HOST}Origin: http://localhost\r\nOrigin: http://evil.example\r\n`],
    ['two approvers', `POST /approvals/x HTTP/1.1\r\n${HOST}X-Approver: a\r\nx-approver: b\r\n`],
    ['a full URL as target', `GET http://evil.example/health HTTP/1.1\r\n${HOST}`],
    ['no path at all', `OPTIONS * HTTP/1.1\r\n${HOST}`],
  ])('%s: 400', async (_name, request) => {
    const { url } = await gateway({});
    expect(head(await raw(url, `${request}Connection: close\r\n\r\n`))).toBe('HTTP/1.1 400 Bad Request');
  });

  test('no host at all is refused on loopback', async () => {
    const { url } = await gateway({});
    expect(head(await raw(url, 'GET /health HTTP/1.0\r\n\r\n'))).toBe('HTTP/1.1 403 Forbidden');
    expect(head(await raw(url, 'GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'))).toBe(
      'HTTP/1.1 403 Forbidden',
    );
    expect(head(await raw(url, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'))).toBe('HTTP/1.1 400 Bad Request');
  });
});

test.each([
  ['/conversations/../health', 404],
  ['/../../etc/passwd', 404],
  ['/conversations/%2e%2e%2fhealth', 404],
  ['/conversations/%00', 404],
  ['/conversations/%252e%252e%252f', 404],
  ['//evil.example/health', 404],
  ['/Health', 404],
  ['/health%2f', 404],
  ['/conversations/%ff', 400],
  ['/conversations/%zz', 400],
  ['/__proto__', 404],
])('GET %s is %i in JSON and reaches no service', async (path, status) => {
  const { url, calls } = await gateway({});
  const answer = await raw(url, `GET ${path} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  expect(head(answer)).toContain(` ${status} `);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toHaveProperty('error');
  expect(calls).toEqual([]);
});

test('pipelined requests are answered in order', async () => {
  const { url } = await gateway({});
  const one = (path: string, last = '') => `GET ${path} HTTP/1.1\r\n${HOST}${last}\r\n`;
  const answer = await raw(url, one('/health') + one('/nothing') + one('/health', 'Connection: close\r\n'));
  expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404', '200']);
});

test('a client that does not read its answer is cut off, so that it does not stay in memory', async () => {
  // More than the system's buffers take.
  const description = 'x'.repeat(32 * 1024 * 1024);
  const listTools = async () => ({ tools: [{ name: 'add', description }] });
  const { url, lines } = await gateway({ bridge: { listTools } }, { times: { readerStallMs: 100 } });
  const client = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  client.pause().write(`GET /tools HTTP/1.1\r\n${HOST}\r\n`);
  // A request is logged when its answer is gone from the server, one way or the other.
  await vi.waitFor(() => expect(lines.join('')).toContain('| GET | /tools |'), { timeout: 30_000 });
  client.destroy();
});
