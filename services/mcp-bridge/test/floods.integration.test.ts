import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { bridgeBounds } from '../src/bounds.ts';
import { checkedAgent } from '../src/lines/checked-agent.ts';
import { createHttpFetch } from '../src/lines/http-fetch.ts';
import { streamPauseMs } from '../src/lines/line.ts';
import {
  afterwards,
  eventually,
  httpServer,
  nastyServer,
  refusedOf,
  startBridge,
  unknownOf,
} from './support/bridge.ts';
import { legacyServer, listen } from './support/http.ts';

const piece = 'x'.repeat(64 * 1_024);

/** Writes an event that never ends, up to so many bytes; resolves with how many were taken when the reader leaves. */
function pour(response: ServerResponse, bytesMax: number): Promise<number> {
  let bytes = 0;
  return new Promise((resolve) => {
    response.on('close', () => resolve(bytes));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: ');
    const more = () => {
      if (response.destroyed || bytes >= bytesMax) return;
      bytes += piece.length;
      if (response.write(piece)) setImmediate(more);
      else response.once('drain', more);
    };
    more();
  });
}

const enough = 256 * 1_024 * 1_024;

test('an event without end is not read to its end, in an answer to us or in a stream of notices', async () => {
  const poured: Promise<number>[] = [];
  let lists = 0;
  const server = await legacyServer({
    before: (request, response, { method }) => {
      if (method === 'tools/list') lists += 1;
      if (request.method !== 'GET' && lists < 2) return;
      poured.push(pour(response, enough));
      // The answer is ours: the rest of this server must leave it alone.
      Object.defineProperty(response, 'writableEnded', { value: true });
    },
  });
  const bounds = { messageBytesMax: 100_000, listFreshMs: 0, listMs: 1_000 };
  const { execute } = await startBridge([httpServer('l', server.url)], { bounds });
  expect(await eventually(() => poured[0], 'the stream of notices')).toBeLessThan(enough / 4);
  void execute('pay', {});
  expect(await eventually(() => poured[1], 'the list')).toBeLessThan(enough / 4);
});

test('a server that asks us without end, and takes no answer, gets a bounded number of connections', async () => {
  const held = new Set<ServerResponse>();
  let most = 0;
  let stream: ServerResponse | undefined;
  const server = await legacyServer({
    before: (request, response, { method }) => {
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        Object.defineProperty(response, 'writableEnded', { value: true });
      }
      // An answer to what was asked: it is never taken.
      if (request.method === 'POST' && method === undefined) {
        held.add(response);
        response.on('close', () => held.delete(response));
        most = Math.max(most, held.size);
        Object.defineProperty(response, 'writableEnded', { value: true });
      }
    },
  });
  await startBridge([httpServer('l', server.url)], { bounds: { requestsOpenMax: 20 } });
  const open = await eventually(() => stream, 'the stream');
  const asked = (id: number) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`;
  for (let id = 1; id <= 200; id += 1) open.write(asked(id));
  await eventually(() => most > 10, 'answers to them');
  open.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`);
  // It is given up, as it cannot be asked for its tools either.
  await eventually(() => server.seen.filter(({ rpc }) => rpc === 'initialize').length > 1, 'a new connection');
  expect(most).toBeLessThanOrEqual(20);
});

test('a process that asks us without end, and does not read, is given up', async () => {
  const server = nastyServer('s', ['--nag']);
  const { execute } = await startBridge([server.config], { bounds: { sendsWaitingMax: 50 } });
  expect(unknownOf(await execute('nag', {}))).toMatch(/its process does not read its input.*is not known$/);
});

test.each([
  [0, 100],
  [500, 500],
  [99_999_999_999, 30_000],
])('a stream that is to be opened again after %i ms is, after %i ms', (asked, pause) => {
  expect(streamPauseMs(asked, bridgeBounds)).toBe(pause);
});

test('how long a server may say nothing is ours to say', async () => {
  const mute = await listen(() => undefined);
  const connections = checkedAgent(new Map(), { silentMs: 200 });
  afterwards(() => connections.destroy());
  const fetch = createHttpFetch({ messageBytesMax: 1_000, messageValuesMax: 1_000, requestsOpenMax: 10, connections });
  await expect(fetch(mute.url)).rejects.toThrow('UND_ERR_HEADERS_TIMEOUT');
});

test('what a refusal says may be too long, and it is a refusal all the same', async () => {
  const server = await legacyServer({ onCall: (_request, response) => response.writeHead(401).end(piece.repeat(4)) });
  const { execute } = await startBridge([httpServer('l', server.url)], { bounds: { messageBytesMax: 100_000 } });
  expect(refusedOf(await execute('pay', {})).message).toBe('Authentication required to access the l server.');
});
