import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostHeaderValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type Server } from '@modelcontextprotocol/server';
import type { RunningServer } from './running-server.ts';
import { MESSAGE_BYTES_MAX } from './server.ts';
import { reasonOf, StartupError } from './startup-error.ts';

/** Time for one request to arrive completely, in milliseconds. */
const REQUEST_TIME_MAX_MS = 30_000;
/** Open connections; further ones are closed at once. */
const CONNECTIONS_MAX = 1_000;
/** Time that running requests have to finish once the server stops, in milliseconds. */
const STOP_GRACE_MS = 500;

/** A request that a server received always has both, which its type does not say. */
type ServedRequest = IncomingMessage & { method: string; url: string };

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export interface HttpAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Whether only programs on this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

/**
 * Serves Streamable HTTP at `/mcp`, in both protocol eras and without sessions, and `GET /health`. Pages of foreign
 * origins get 403; on a loopback host so does every name but loopback's (DNS rebinding).
 * @throws StartupError when the address cannot be bound.
 */
export async function serveOverHttp(
  create: () => Server,
  { host, port }: HttpAddress,
  report: (error: Error) => void,
): Promise<RunningServer> {
  const handler = createMcpHandler(create, { maxRequestBodySize: MESSAGE_BYTES_MAX, onerror: report });
  const mcp = toNodeHandler(handler, { maxRequestBodySize: MESSAGE_BYTES_MAX, onerror: report });
  const originAllowed = localhostOriginValidation();
  const hostAllowed = isLoopback(host) ? hostHeaderValidation([...LOOPBACK_NAMES, host]) : () => true;

  const http = createHttpServer((request, response) => {
    if (!hostAllowed(request, response) || !originAllowed(request, response)) return;
    const path = request.url?.split('?', 1)[0];
    if (path === '/mcp') void mcp(request as ServedRequest, response);
    else if (path === '/health') answerHealth(request, response);
    else answerText(response, 404, 'not found\n');
  });
  http.requestTimeout = REQUEST_TIME_MAX_MS;
  http.maxConnections = CONNECTIONS_MAX;

  const ended = new Promise<void>((resolve) => {
    http.once('close', resolve);
  });
  await listen(http, { host, port });
  const bound = http.address() as AddressInfo;
  const shown = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return {
    address: `http://${shown}:${bound.port}/mcp`,
    ended,
    stop: async () => {
      http.close();
      const cut = setTimeout(() => http.closeAllConnections(), STOP_GRACE_MS);
      await handler.close();
      await ended;
      clearTimeout(cut);
    },
  };
}

function listen(http: ReturnType<typeof createHttpServer>, { host, port }: HttpAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error) => {
      reject(new StartupError(`cannot listen on ${host}:${port}: ${reasonOf(error)}; choose another --host or --port`));
    });
    http.listen(port, host, resolve);
  });
}

function answerHealth(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET' || request.method === 'HEAD') answerText(response, 200, 'ok\n');
  else answerText(response, 405, 'method not allowed\n', { Allow: 'GET, HEAD' });
}

function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(text);
}
