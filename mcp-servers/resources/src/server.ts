import type { Server } from '@modelcontextprotocol/server';
import { type CallOutcome, createToolServer, type Era, type RawArguments, reasonOf } from '@stopgo/tool-server';
import { executeCall } from './calls.ts';
import type { CallJournal, EndOfCall } from './journal.ts';
import type { ResourceStore } from './store.ts';
import { type ToolName, tools } from './tools.ts';

/** Largest message accepted from a client, in bytes, on either transport. */
export const messageBytesMax = 1_048_576;

/** A protocol server over the store, for one connection or one HTTP request; every instance shares the store. */
export function createServer(store: ResourceStore, journal: CallJournal, era: Era): Server {
  const call = (tool: ToolName, given: RawArguments, { meta }: { readonly meta: unknown }): CallOutcome => {
    let end: EndOfCall | undefined;
    let outcome: CallOutcome;
    try {
      end = journal.begin({ tool, arguments: given, meta });
      outcome = executeCall(store, tool, given);
    } catch (thrown) {
      // A full disk or a lock that another program holds: the caller is told, and the server goes on.
      outcome = { text: `the call failed: ${reasonOf(thrown)}`, isError: true };
    }
    end?.(outcome.isError);
    return outcome;
  };
  return createToolServer({ name: 'mcp-resources', version: '1.0.0', tools: tools, call }, era);
}
