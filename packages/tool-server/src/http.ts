import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { browserRules } from './browser-rules.ts';
import type { RunningServer } from './running-server.ts';
import { reasonOf, StartupError } from './startup-error.ts';
import type { ToolServerFactory } from './tool-server.ts';
import type { HttpSettings } from './transport-settings.ts';

/** Time for one request to arrive completely, in milliseconds. */
const requestTimeMaxMs = 30_000;
/** Open connections; further ones are closed at once. */
const connectionsMax = 1_000;
/** Time that running requests have to finish once the server stops, in milliseconds. */
const stopGraceMs = 500;

/** A request that a server received always has both, which its type does not say. */
type ServedRequest = IncomingMessage & { method: string; url: string };

export { isLoopback } from '@stopgo/security';

export interface HttpOptions extends HttpSettings {
  /** Largest request body, in bytes; a longer one gets 413. */
  readonly messageBytesMax: number;
  /** Is told what went wrong outside of a call. */
  readonly report: (error: Error) => void;
}

/**
 * Serves Streamable HTTP at `/mcp`, in both protocol eras and without sessions, and `GET /health`. Pages get 403
 * unless their origin is allowed, and so does a foreign name in the `Host` header (DNS rebinding); see {@link browserRules}.
 * @throws StartupError when the address cannot be bound.
 */
export async function serveOverHttp(create: ToolServerFactory, options: HttpOptions): Promise<RunningServer> {
  const { messageBytesMax: maxRequestBodySize, report: onerror } = options;
  const handler = createMcpHandler(create, { maxRequestBodySize, onerror });
  const mcp = toNodeHandler(handler, { maxRequestBodySize, onerror });
  const allowed = browserRules(options);

  const http = createHttpServer((request, response) => {
    if (!allowed(request, response)) return;
    const path = request.url?.split('?', 1)[0];
    if (path === '/mcp') void mcp(request as ServedRequest, response);
    else if (path === '/health') answerHealth(request, response);
    else answerText(response, 404, 'not found\n');
  });
  http.requestTimeout = requestTimeMaxMs;
  http.maxConnections = connectionsMax;

  const ended = new Promise<void>((resolve) => {
    http.once('close', resolve);
  });
  await listen(http, options);
  const bound = http.address() as AddressInfo;
  const shown = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return {
    address: `http://${shown}:${bound.port}/mcp`,
    ended,
    stop: async () => {
      http.close();
      const cut = setTimeout(() => http.closeAllConnections(), stopGraceMs);
      await handler.close();
      await ended;
      clearTimeout(cut);
    },
  };
}

function listen(
  http: ReturnType<typeof createHttpServer>,
  { host, port, report }: Pick<HttpOptions, 'host' | 'port' | 'report'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: Error) =>
      reject(new StartupError(`cannot listen on ${host}:${port}: ${reasonOf(error)}; choose another --host or --port`));
    http.once('error', refused);
    http.listen(port, host, () => {
      // Left in place, it would swallow the next error, and the one after that would end the process.
      http.off('error', refused);
      http.on('error', report);
      resolve();
    });
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
