import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ScriptedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON-RPC method and params; empty for anything else. */
  readonly rpc: { readonly id?: number; readonly method?: string; readonly params?: unknown };
};

export type ScriptedAgent = { readonly origin: string; readonly requests: ScriptedRequest[]; close(): void };

/** A server that answers exactly what it is told to. */
export async function scriptedAgent(
  answer: (request: ScriptedRequest, response: ServerResponse) => void,
): Promise<ScriptedAgent> {
  const requests: ScriptedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const { method = '', url = '', headers } = incoming;
    const request = { method, path: url, headers, rpc: text === '' ? {} : JSON.parse(text) };
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The answer to a JSON-RPC request. */
export function result({ rpc }: ScriptedRequest, response: ServerResponse, value: unknown): void {
  sendJson(response, { jsonrpc: '2.0', id: rpc.id, result: value });
}

export function rpcError({ rpc }: ScriptedRequest, response: ServerResponse, code: number, message: string): void {
  sendJson(response, { jsonrpc: '2.0', id: rpc.id, error: { code, message } });
}

/** A card of version 1.0 for one JSON-RPC interface. */
export function cardOf(url: string, more: Record<string, unknown> = {}, version = '1.0') {
  return {
    name: 'peer',
    description: '',
    version: '1',
    capabilities: {},
    skills: [],
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: version }],
    ...more,
  };
}

export const isCard = ({ path }: ScriptedRequest): boolean => path.includes('/.well-known/');
