import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';
import { afterwards } from './bridge.ts';

export type Seen = {
  readonly method: string;
  readonly rpc: string;
  readonly authorization: string | undefined;
  readonly session?: unknown;
  readonly region?: unknown;
};

type Answer = (request: IncomingMessage, response: ServerResponse, message: Message) => void;
type Params = { readonly name?: string; readonly requestId?: number };
type Message = { readonly id?: number; readonly method: string; readonly params: Params };

/** Listens on a loopback port; what `port` says, else a free one. */
export async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
): Promise<{ readonly url: string; readonly port: number; close(): Promise<void> }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  afterwards(close);
  const bound = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${bound}/mcp`, port: bound, close };
}

export const tools = [
  { name: 'whoami', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'pay', inputSchema: { type: 'object' }, annotations: { destructiveHint: false } },
] as const satisfies readonly Tool[];

/** A server of the newer protocol only. `whoami` answers with the credentials of its request. */
export async function modernServer(
  prefix = '',
  port = 0,
  more: readonly Tool[] = [],
  before: (request: IncomingMessage, response: ServerResponse) => void = () => undefined,
) {
  const seen: Seen[] = [];
  const offered: Tool[] = [...tools, ...more].map((tool) => ({ ...tool, name: prefix + tool.name }));
  const handler = createMcpHandler(
    (context) => {
      const server = new Server({ name: 'modern', version: '1' }, { capabilities: { tools: { listChanged: true } } });
      server.setRequestHandler('tools/list', () => ({ tools: offered }));
      server.setRequestHandler('tools/call', async (request) => {
        // Callers overlap, so that a mixed-up token would be seen.
        await new Promise((resolve) => setTimeout(resolve, 30));
        const who = context.requestInfo?.headers.get('authorization') ?? 'nobody';
        return { content: [{ type: 'text', text: `${request.params.name}: ${who}` }] };
      });
      return server;
    },
    { legacy: 'reject' },
  );
  const node = toNodeHandler(handler);
  const http = await listen((request, response) => {
    seen.push({
      method: request.method ?? '',
      region: request.headers['mcp-param-region'],
      rpc: String(request.headers['mcp-method']),
      authorization: request.headers.authorization,
    });
    before(request, response);
    if (response.writableEnded) return;
    void node(request as IncomingMessage & { method: string; url: string }, response);
  }, port);
  afterwards(() => handler.close());
  return { ...http, seen, offered, changed: () => handler.notify.toolsChanged() };
}

export function json(response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function textResult(id: number | undefined, text: string) {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } };
}

/** A hand-written server of the older protocol with sessions, whose answer to a call is the test's. */
export async function legacyServer(
  options: {
    readonly onCall?: Answer;
    readonly onDelete?: Answer;
    readonly before?: Answer;
    readonly port?: number;
  } = {},
) {
  const seen: Seen[] = [];
  const sessions = new Set<string>();
  let count = 0;
  const http = await listen((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const message: Message = body === '' ? { method: '', params: {} } : (JSON.parse(body) as Message);
      const { id, method } = message;
      const { authorization, 'mcp-session-id': session } = request.headers;
      seen.push({ method: request.method ?? '', rpc: method, authorization, session });
      options.before?.(request, response, message);
      if (response.headersSent || response.writableEnded || response.destroyed) return;
      if (request.method === 'DELETE') {
        return options.onDelete === undefined
          ? void response.writeHead(200).end()
          : options.onDelete(request, response, message);
      }
      if (request.method === 'GET') return void response.writeHead(405).end();
      if (method === 'initialize') {
        count += 1;
        sessions.add(`session-${count}`);
        const capabilities = { tools: {} };
        const result = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'legacy', version: '1' } };
        return json(response, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': `session-${count}` });
      }
      if (!sessions.has(String(request.headers['mcp-session-id']))) {
        return void response.writeHead(404).end('no such session');
      }
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'tools/list') return json(response, { jsonrpc: '2.0', id, result: { tools } });
      if (options.onCall !== undefined) return options.onCall(request, response, message);
      json(response, textResult(id, `${message.params.name}: ${request.headers.authorization ?? 'nobody'}`));
    });
  }, options.port);
  return {
    ...http,
    seen,
    calls: () => seen.filter(({ rpc }) => rpc === 'tools/call').length,
    forgetSessions: () => sessions.clear(),
  };
}
