import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as it arrived at the server. */
export type ArrivedCall = { readonly tool: string; readonly arguments: unknown; readonly authorization?: string };

export type HttpToolsOptions = {
  readonly port?: number;
  /** A call with another bearer token is answered with 401. */
  readonly bearer?: () => string | undefined;
  /** What a call gives; the default says who called. A thrown text becomes a failed result. */
  readonly onCall?: (call: ArrivedCall, headers: IncomingMessage['headers']) => string;
  readonly tools?: () => readonly object[];
};

/** A Streamable HTTP tool server of the older protocol, written by hand, without sessions. */
export type HttpTools = { readonly url: string; readonly calls: ArrivedCall[]; stop(): Promise<void> };

const schema = { type: 'object', properties: {} };
const offered = [
  { name: 'whoami', description: 'Says who calls', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'pay', description: 'Pays', inputSchema: schema, annotations: { destructiveHint: true } },
];

type Message = {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown; readonly protocolVersion?: string };
};

export async function httpTools(options: HttpToolsOptions = {}): Promise<HttpTools> {
  const calls: ArrivedCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    answer(JSON.parse(text) as Message, request, response, calls, options);
  });
  await new Promise<void>((listening) => server.listen(options.port ?? 0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

function answer(
  { id, method, params }: Message,
  { headers }: IncomingMessage,
  response: ServerResponse,
  calls: ArrivedCall[],
  options: HttpToolsOptions,
): void {
  const send = (body: object): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  };
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'http-tools', version: '1' };
      send({ result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
      return;
    }
    case 'tools/list':
      send({ result: { tools: options.tools?.() ?? offered } });
      return;
    case 'tools/call': {
      const { authorization } = headers;
      const call = {
        tool: params?.name ?? '',
        arguments: params?.arguments,
        ...(authorization === undefined ? {} : { authorization }),
      };
      calls.push(call);
      const wanted = options.bearer?.();
      if (wanted !== undefined && authorization !== `Bearer ${wanted}`)
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      else send({ result: resultOf(call, headers, options) });
      return;
    }
    default:
      send({ error: { code: -32601, message: `Method not found: ${method}` } });
  }
}

function resultOf(call: ArrivedCall, headers: IncomingMessage['headers'], { onCall }: HttpToolsOptions): object {
  try {
    const text = onCall?.(call, headers) ?? `${call.tool} done for ${call.authorization ?? 'nobody'}`;
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    return { content: [{ type: 'text', text: String(error) }], isError: true };
  }
}
