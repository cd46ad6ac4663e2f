import { type Client, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/client';
import type { Json } from '@stopgo/core';
import { withoutToken } from './bearer.ts';
import type { CallCancel } from './call-cancel.ts';
import { type CallEnd, endOfError, failed } from './call-end.ts';
import type { CallScope } from './call-scope.ts';
import { resultText } from './content.ts';
import type { Line } from './line.ts';
import type { ListTap } from './list-tap.ts';
import { type DefinedTool, shownName } from './tool-definitions.ts';

/** One call to make. */
export type SessionCall = {
  readonly tool: DefinedTool;
  readonly arguments: { readonly [key: string]: Json };
  /** The caller's token, already decided to be for this server. */
  readonly token: string | undefined;
  /** Limit of the call, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborting it asks the server to stop the call; what it answers shortly after is still how the call ended. */
  readonly signal: AbortSignal;
};

/** The definitions of a server, and why some that it gave are not among them. */
export type ToolList = { readonly definitions: readonly Json[]; readonly problems: readonly string[] };

/** A live connection to one server. */
export type Session = {
  /** All definitions, as the server gives them. Throws if it cannot be asked. */
  listTools(timeoutMs: number): Promise<ToolList>;
  /** Makes a call. Never throws. */
  call(call: SessionCall): Promise<CallEnd>;
  /** Whether a call is under way: many a server answers nothing else until it is done. */
  readonly isCalling: () => boolean;
  /** Whether a change of the tools would be noticed; if not, the list must be read again now and then. */
  readonly followsChanges: () => boolean;
  /** Asks for a sign of life; throws if none comes in time. */
  ping(timeoutMs: number): Promise<void>;
  /** Settles when the connection ended without `close`, with the reason. */
  readonly ended: Promise<string>;
  /** Ends connection and process; throws if that cannot be done. */
  close(): Promise<void>;
};

/** What a session is made of. */
export type SessionParts = {
  readonly server: string;
  readonly client: Client;
  readonly tap: ListTap;
  readonly callCancel: CallCancel;
  readonly streamResumeMs: number;
  readonly cancelWaitMs: number;
  /** True while a legacy HTTP session id is held. */
  readonly hasSession: () => boolean;
  readonly followsChanges: () => boolean;
  /** How the connection ended, if it did. */
  readonly endReason: () => string | undefined;
  /** Whoever is set here is told when a message beyond the bound was skipped. */
  readonly oversize: { told: (() => void) | undefined };
  readonly ended: Promise<string>;
  readonly close: () => Promise<void>;
  readonly within: Line['within'];
};

/** Added to the limit of a call for the client's own timer, so that ours, which knows the reason, comes first. */
const clientTimerSlackMs = 5_000;

/** A session over a client that is connected. */
export function createSession(parts: SessionParts): Session {
  const { server, client, tap, callCancel } = parts;
  let isCalling = false;
  return {
    isCalling: () => isCalling,
    ended: parts.ended,
    followsChanges: parts.followsChanges,
    close: parts.close,
    ping: async (timeoutMs) => {
      const options = { timeout: timeoutMs };
      await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options));
    },
    listTools: (timeoutMs) => listTools(client, tap, timeoutMs),
    call: async (call) => {
      const scope: CallScope = { token: call.token, requestsOpen: 0, oversize: false, onChange: () => undefined };
      const stop = new AbortController();
      let cause: 'timeout' | 'canceled' | 'stream' | 'oversize' | undefined;
      const end = (why: typeof cause) => {
        cause ??= why;
        stop.abort(new Error(why));
      };
      const limit = setTimeout(() => end(call.signal.aborted ? 'canceled' : 'timeout'), call.timeoutMs);
      let wait: NodeJS.Timeout | undefined;
      const cancel = () => {
        if (callCancel.tell(client)) wait = setTimeout(() => end('canceled'), parts.cancelWaitMs);
        else end('canceled');
      };
      call.signal.addEventListener('abort', cancel, { once: true });
      let idle: NodeJS.Timeout | undefined;
      scope.onChange = () => {
        clearTimeout(idle);
        if (scope.requestsOpen === 0) idle = setTimeout(() => end('stream'), parts.streamResumeMs);
      };
      // Calls of one server run one at a time, so that a skipped message is the answer to this one.
      parts.oversize.told = () => end('oversize');
      isCalling = true;
      callCancel.begin();
      try {
        return await parts.within(scope, () => callTool(client, call, stop.signal));
      } catch (error) {
        if (scope.oversize || cause === 'oversize') return failed(`the result of the server "${server}" is too large`);
        if (cause === 'timeout') {
          return { kind: 'lost', cause, reason: `did not answer within ${Math.round(call.timeoutMs)} ms` };
        }
        if (cause === 'canceled') return { kind: 'lost', cause, reason: 'was asked to stop the call while it ran' };
        if (cause === 'stream') return lost('broke off its answer while the call ran');
        const known = endOfError(error, server, parts.hasSession());
        const reason = parts.endReason();
        return known.kind === 'lost' && reason !== undefined ? lost(`ended while the call ran (${reason})`) : known;
      } finally {
        isCalling = false;
        for (const timer of [limit, wait, idle]) clearTimeout(timer);
        scope.onChange = () => undefined;
        parts.oversize.told = undefined;
        call.signal.removeEventListener('abort', cancel);
      }
    },
  };
}

function lost(reason: string): CallEnd {
  return { kind: 'lost', cause: 'connection', reason };
}

async function callTool(client: Client, call: SessionCall, signal: AbortSignal): Promise<CallEnd> {
  const { name, inputSchema } = call.tool;
  // The definition spares the client a list of its own. Without an output schema in it: what does not match one is
  // still the result of a call that ran, and the model can judge it better than an error could.
  const toolDefinition = { name, inputSchema } as unknown as Tool;
  const result = await client.callTool(
    { name, arguments: { ...call.arguments } },
    { signal, timeout: call.timeoutMs + clientTimerSlackMs, toolDefinition },
  );
  return {
    kind: 'answered',
    isError: result.isError === true,
    result: resultText(result, (text) => withoutToken(text, call.token)),
  };
}

function noTools(error: unknown): { readonly tools: readonly Tool[] } {
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return { tools: [] };
  throw error;
}

async function listTools(client: Client, tap: ListTap, timeoutMs: number): Promise<ToolList> {
  let readable: ReadonlySet<string> = new Set();
  const all = await tap.collect(async () => {
    const options = { timeout: timeoutMs, maxTotalTimeout: timeoutMs };
    // A server of the first days may have tools without declaring that it does; the client would not ask it.
    const { tools } =
      client.getServerCapabilities()?.tools === undefined
        ? await client.request({ method: 'tools/list' }, options).catch(noTools)
        : await client.listTools(undefined, { ...options, cacheMode: 'refresh' });
    readable = new Set(tools.map((tool) => tool.name));
  });
  const definitions: Json[] = [];
  const problems: string[] = [];
  for (const definition of all) {
    const bare = tap.bare(definition);
    if (bare === undefined || readable.has(bare.name)) definitions.push(definition);
    // The one reason for which the client leaves out a tool that it can read.
    else
      problems.push(`tool ${shownName(bare.name)}: its x-mcp-header declarations are not valid; the tool is left out`);
  }
  return { definitions, problems };
}
