import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { RawArguments } from './arguments.ts';
import { type CallOutcome, executeCall } from './calls.ts';
import type { CallJournal, EndOfCall } from './journal.ts';
import { reasonOf } from './startup-error.ts';
import type { ResourceStore } from './store.ts';
import { isToolName, TOOLS } from './tools.ts';

/** Largest message accepted from a client, in bytes, on either transport. */
export const MESSAGE_BYTES_MAX = 1_048_576;

/** Longest piece of a client's own text that an error quotes, in UTF-16 code units. */
const QUOTE_LENGTH_MAX = 128;

/**
 * A protocol server over the store, for one connection or one HTTP request; every instance shares the store. The
 * low-level class is used because it leaves the texts of argument errors to us.
 */
export function createServer(store: ResourceStore, journal: CallJournal): Server {
  const server = new Server({ name: 'mcp-resources', version: '1.0.0' }, { capabilities: { tools: {} } });

  server.setRequestHandler('tools/list', () => ({ tools: [...TOOLS] }));

  server.setRequestHandler('tools/call', (request, context) => {
    const { name, arguments: given } = request.params;
    if (!isToolName(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${quote(name)}`);
    const raw: RawArguments = given ?? {};
    let end: EndOfCall | undefined;
    let outcome: CallOutcome;
    try {
      end = journal.begin({ tool: name, arguments: raw, meta: context.mcpReq._meta ?? null });
      outcome = executeCall(store, name, raw);
    } catch (thrown) {
      // A full disk or a lock that another program holds: the caller is told, and the server goes on.
      outcome = { text: `the call failed: ${reasonOf(thrown)}`, isError: true };
    }
    end?.(outcome.isError);
    return result(outcome);
  });

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
  return text.slice(0, QUOTE_LENGTH_MAX);
}
