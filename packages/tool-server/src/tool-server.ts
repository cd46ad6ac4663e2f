import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server, type Tool } from '@modelcontextprotocol/server';
import type { RawArguments } from './arguments.ts';

/** Longest piece of a client's own text that an error quotes, in UTF-16 code units. */
const quoteLengthMax = 128;

/** What a tool call answers: a text, and whether it reports a failure that the caller can act on. */
export interface CallOutcome {
  readonly text: string;
  readonly isError: boolean;
}

/** What came with a call beside its arguments. */
export interface CallContext {
  /** The request's `_meta`, without the keys that the protocol reserves for itself; null without one. */
  readonly meta: unknown;
  /** Aborted when the client gave the call up. */
  readonly signal: AbortSignal;
}

/** What a connection, or a request over HTTP, speaks: the protocol with a handshake, or the newer one without. */
export type Era = 'legacy' | 'modern';

/** Makes a server for one connection or one HTTP request. */
export type ToolServerFactory = (context: { readonly era: Era }) => Server;

export interface ToolServerParts<Name extends string> {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly (Tool & { readonly name: Name })[];
  /** Executes one call. Must not throw: a failure is an outcome. */
  readonly call: (tool: Name, given: RawArguments, context: CallContext) => CallOutcome | Promise<CallOutcome>;
}

/**
 * A protocol server that offers tools and nothing else, for one connection or one HTTP request. The low-level class is
 * used because it leaves the texts of argument errors to the tools.
 */
export function createToolServer<Name extends string>(parts: ToolServerParts<Name>, era: Era): Server {
  const { name, version, tools } = parts;
  const server = new Server({ name, version }, { capabilities: { tools: {} } });

  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));

  server.setRequestHandler('tools/call', async (request, context) => {
    const tool = tools.find((each) => each.name === request.params.name);
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${quote(request.params.name)}`);
    }
    const { _meta: meta = null, signal } = context.mcpReq;
    return result(await parts.call(tool.name, request.params.arguments ?? {}, { meta, signal }));
  });

  // In the newer protocol the library answers, as the answer over HTTP must have the status 404, which no handler can give it.
  if (era === 'legacy')
    server.fallbackRequestHandler = (request) => {
      const unknown = new ProtocolError(ProtocolErrorCode.MethodNotFound, `Method not found: ${quote(request.method)}`);
      return Promise.reject(unknown);
    };

  return server;
}

function result({ text, isError }: CallOutcome): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
}

function quote(text: string): string {
  return text.slice(0, quoteLengthMax);
}
