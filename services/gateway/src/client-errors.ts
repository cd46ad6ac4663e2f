import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Logger, logRequest } from '@stopgo/runtime';

const refusals: Readonly<Record<string, { readonly line: string; readonly error: string }>> = {
  HPE_HEADER_OVERFLOW: { line: '431 Request Header Fields Too Large', error: 'the header of the request is too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { line: '408 Request Timeout', error: 'the request did not arrive in time' },
};
const malformed = { line: '400 Bad Request', error: 'this is not a valid HTTP request' };

type Exchange = { readonly req: IncomingMessage; readonly res: ServerResponse };

/**
 * Answers what the HTTP parser refuses, and closes the connection: nobody can tell where the next request would begin.
 * A connection whose earlier, whole request is still being answered is closed without another word, which the client
 * would take for that answer.
 */
export function answerClientErrors(server: Server, log: Logger, newSessionId: () => string): void {
  const open = new WeakMap<Duplex, Set<Exchange>>();
  server.on('request', (req, res) => {
    const exchange = { req, res };
    const exchanges = open.get(req.socket) ?? new Set<Exchange>();
    open.set(req.socket, exchanges.add(exchange));
    res.once('close', () => exchanges.delete(exchange));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const exchanges = [...(open.get(socket) ?? [])];
    if (!socket.writable || error.code === 'ECONNRESET' || exchanges.some(isBeingAnswered)) {
      socket.destroy();
      return;
    }
    const { line, error: text } = refusals[error.code ?? ''] ?? malformed;
    const sid = exchanges[0]?.res.getHeader('x-session-id')?.toString() ?? newSessionId();
    socket.end(rawAnswer(line, JSON.stringify({ error: text }), sid));
    // A request whose body is at fault has a line of its own.
    if (exchanges.length > 0) return;
    logRequest(log, { status: Number(line.slice(0, 3)), durationMs: 0, method: '-', path: '-', sid });
  });
}

/** True unless the request is still arriving and nothing of its answer is out, so that the error is its answer. */
const isBeingAnswered = ({ req, res }: Exchange): boolean => req.complete || res.headersSent;

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
