import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Logger, logRequest } from '@stopgo/runtime';

const REFUSALS: Readonly<Record<string, { readonly line: string; readonly error: string }>> = {
  HPE_HEADER_OVERFLOW: { line: '431 Request Header Fields Too Large', error: 'the header of the request is too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { line: '408 Request Timeout', error: 'the request did not arrive in time' },
};
const MALFORMED = { line: '400 Bad Request', error: 'this is not a valid HTTP request' };

/**
 * Answers what the HTTP parser refuses, and closes the connection: nobody can tell where the next request would begin.
 * A connection whose earlier request is still being answered is closed without another word, which the client would
 * take for that answer.
 */
export function answerClientErrors(server: Server, log: Logger, newSessionId: () => string): void {
  const busy = new WeakMap<Duplex, number>();
  server.on('request', (req, res) => {
    const { socket } = req;
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    res.once('close', () => busy.set(socket, (busy.get(socket) ?? 1) - 1));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET' || (busy.get(socket) ?? 0) > 0) {
      socket.destroy();
      return;
    }
    const { line, error: text } = REFUSALS[error.code ?? ''] ?? MALFORMED;
    const sid = newSessionId();
    socket.end(rawAnswer(line, JSON.stringify({ error: text }), sid));
    logRequest(log, { status: Number(line.slice(0, 3)), durationMs: 0, method: '-', path: '-', sid });
  });
}

const rawAnswer = (line: string, body: string, sid: string): string =>
  [
    `HTTP/1.1 ${line}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Session-ID: ${sid}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
