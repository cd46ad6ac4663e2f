import { type Client, ProtocolError, ProtocolErrorCode, SdkHttpError, type Tool } from '@modelcontextprotocol/client';
import { isRepeatable, type Json } from '@stopgo/core';
import { shownProblem } from '@stopgo/json-schema';
import { tokensHidden } from '../credentials/bearer.ts';
import { connectionReason, isNeverTold, sessionEnded, shownReason } from '../failures.ts';
import type { Line } from '../lines/line.ts';
import { idOfSkipped } from '../lines/line-reader.ts';
import type { AskingCalls } from '../questions/asking-calls.ts';
import type { CallScope } from '../questions/call-scope.ts';
import type { AskedQuestion } from '../questions/open-questions.ts';
import { type CallEnd, endOfError, failed } from '../results/call-end.ts';
import { resultText } from '../results/content.ts';
import { resultMismatch } from '../results/result-check.ts';
import type { ListTap } from '../tools/list-tap.ts';
import { readInstructions } from '../tools/server-instructions.ts';
import { leftOut, type ToolProblem } from '../tools/tool-problem.ts';
import type { CallCancel } from './call-cancel.ts';
import { clientTimerMs } from './call-limit.ts';
import { type CallWaits, type GivenUp, RunningCall } from './running-call.ts';
import type { SessionCall } from './session-call.ts';

/** The definitions of a server, and why some that it gave are not among them. */
export type ToolList = { readonly definitions: readonly Json[]; readonly problems: readonly ToolProblem[] };

/** A live connection to one server. */
export type Session = {
  /** All definitions, as the server gives them. Throws if it cannot be asked. */
  listTools(timeoutMs: number): Promise<ToolList>;
  /** What the server said at its start of how its tools are used, in its own words. */
  readonly said: ReturnType<typeof readInstructions>;
  /** Makes a call. Never throws. */
  call(call: SessionCall): Promise<CallEnd>;
  /** Calls that are under way. */
  readonly callsUnderWay: () => number;
  /** Revision of the protocol that is spoken. */
  readonly protocolVersion: string | undefined;
  /** Which of the two protocols that is: the older one begins with a handshake, the newer one has none. */
  readonly protocolEra: 'legacy' | 'modern' | undefined;
  /** Whether the server ties what it keeps to this session: then it is for one caller alone. */
  readonly keepsState: () => boolean;
  /** Whether an error of this session says that the server has forgotten it. */
  readonly isGone: (error: unknown) => boolean;
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
  /** The text without the credentials that the connection carries. */
  readonly clean: (text: string) => string;
  /** Whether the server is configured with credentials of its own. */
  readonly hasCredentials: boolean;
  readonly client: Client;
  readonly tap: ListTap;
  readonly callCancel: CallCancel;
  readonly waits: CallWaits;
  /** The calls that their server may ask something for. */
  readonly askingCalls: AskingCalls;
  /** How long a call may wait for people and models, in milliseconds. */
  readonly answersMs: number;
  /** True while a legacy HTTP session id is held. */
  readonly hasSession: () => boolean;
  readonly followsChanges: () => boolean;
  /** How the connection ended, if it did. */
  readonly endReason: () => string | undefined;
  /** Whoever is set here is told when a message beyond the bound was skipped. */
  readonly oversize: Line['oversize'];
  readonly ended: Promise<string>;
  readonly close: () => Promise<void>;
  readonly within: Line['within'];
  readonly over: Line['over'];
};

/** A session over a client that is connected. */
export function createSession(parts: SessionParts): Session {
  const { server, client, callCancel } = parts;
  const calls = new Map<object, { readonly running: RunningCall; readonly scope: CallScope }>();
  parts.oversize.told = (skipped) => {
    const id = idOfSkipped(skipped);
    if (id !== undefined) parts.askingCalls.answered(id);
    // If the message does not show whose answer it is, and it may be one of several, each has its time.
    for (const [args, { running, scope }] of calls)
      if (id === undefined ? calls.size === 1 : callCancel.isOf(id, args)) {
        scope.oversize = skipped.excess;
        running.giveUp('oversize');
      }
  };
  const isGone = (error: unknown) => endOfError(error, server, parts.hasSession(), parts.clean).kind === 'session_gone';
  return {
    callsUnderWay: () => calls.size,
    protocolVersion: client.getNegotiatedProtocolVersion(),
    protocolEra: client.getProtocolEra(),
    keepsState: () => client.getProtocolEra() !== 'modern' && parts.hasSession(),
    said: readInstructions(server, client.getInstructions(), parts.clean),
    isGone,
    ended: parts.ended,
    followsChanges: parts.followsChanges,
    close: parts.close,
    ping: async (timeoutMs) => {
      const options = { timeout: timeoutMs };
      await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options));
    },
    listTools: async (timeoutMs) =>
      withoutLeaks(await listTools(parts, timeoutMs).catch(inPlainWords(parts, isGone)), parts.clean),
    call: async (call) => {
      const running = new RunningCall(call, parts.waits);
      // A copy of its own: the request is known by it.
      const args = { ...call.arguments };
      const { ask: askPeople, token } = call;
      const ask =
        askPeople &&
        ((asked: AskedQuestion, signal: AbortSignal) =>
          running.paused(() => askPeople(asked, AbortSignal.any([signal, running.signal]))));
      const leave = ask && parts.askingCalls.add(args, ask);
      const hideToken = tokensHidden(token);
      const clean = (text: string) => hideToken(parts.clean(text));
      const scope: CallScope = { token, ask, requestsOpen: 0, oversize: undefined, onChange: () => undefined };
      scope.onChange = () => running.watch(scope);
      const cancel = () => {
        if (callCancel.tell(client, args)) running.stopWithin();
        else running.giveUp('canceled');
      };
      call.signal.addEventListener('abort', cancel, { once: true });
      calls.set(args, { running, scope });
      try {
        return await parts.within(scope, () =>
          callTool(client, call, args, running, { clean, answersMs: parts.answersMs }),
        );
      } catch (error) {
        if (scope.oversize !== undefined) return tooLarge(server, scope.oversize);
        const why = running.givenUp;
        if (why !== undefined && why !== 'oversize') return endOfGivenUp(why, call);
        const last = endOfError(error, server, parts.hasSession(), clean);
        const isRound = callCancel.wasUnderWay(args) && !isRepeatable(call.tool.hints);
        const known = withoutSecrets(isRound ? endOfRound(last, error) : last, clean);
        const reason = parts.endReason();
        return known.kind === 'lost' && reason !== undefined ? lost(`ended while the call ran (${reason})`) : known;
      } finally {
        calls.delete(args);
        leave?.();
        parts.over(scope);
        running.end();
        scope.onChange = () => undefined;
        call.signal.removeEventListener('abort', cancel);
      }
    },
  };
}

function tooLarge(server: string, excess: string): CallEnd {
  const reason = `the call ran, and the result of the server "${server}" is too large: it has more than ${excess}`;
  return failed(reason, 'result_too_large');
}

function endOfGivenUp(why: Exclude<GivenUp, 'oversize'>, call: SessionCall): CallEnd {
  switch (why) {
    case 'timeout':
      return { kind: 'lost', cause: why, reason: `did not answer within ${Math.round(call.timeoutMs)} ms` };
    case 'total': {
      const reason = `did not end within ${Math.round(call.totalTimeoutMs)} ms, though it told progress`;
      return { kind: 'lost', cause: 'timeout', reason };
    }
    case 'canceled':
      return { kind: 'lost', cause: why, reason: 'was asked to stop the call while it ran' };
    case 'stream':
      return lost('broke off its answer while the call ran');
  }
}

/**
 * A call that its server had begun, and asked something for, has not been left undone because it did not take the answer, or was not
 * sent it: neither a status of HTTP nor a rule of ours says how it ended.
 */
function endOfRound(end: CallEnd, error: unknown): CallEnd {
  if (end.kind === 'not_sent') return lost(`was lost in the midst of the call (${end.reason})`);
  const why =
    end.kind === 'unauthenticated'
      ? 'wanted other credentials'
      : error instanceof SdkHttpError
        ? `answered HTTP ${error.status} to what it had asked for`
        : isNeverTold(error)
          ? `was not told what it had asked for (${error.message})`
          : undefined;
  return why === undefined ? end : { kind: 'lost', cause: 'status', reason: `began the call, and then ${why}` };
}

function lost(reason: string): CallEnd {
  return { kind: 'lost', cause: 'connection', reason };
}

async function callTool(
  client: Client,
  { tool, timeoutMs, totalTimeoutMs }: SessionCall,
  args: { readonly [key: string]: Json },
  running: RunningCall,
  { clean, answersMs }: Pick<SessionParts, 'clean' | 'answersMs'>,
): Promise<CallEnd> {
  const { ownName: name, inputSchema } = tool;
  // The definition spares the client a list of its own. Without an output schema in it: the client would throw away what
  // does not match, and the call ran.
  const toolDefinition = { name, inputSchema } as unknown as Tool;
  const result = await client.callTool(
    { name, arguments: args },
    {
      signal: running.signal,
      timeout: clientTimerMs({ timeoutMs, totalTimeoutMs }, answersMs),
      onprogress: (progress) => running.progress(progress),
      toolDefinition,
    },
  );
  const mismatch = await resultMismatch(tool, result);
  if (mismatch !== undefined) {
    const words = `The call ran, but its structured result is not what the tool promises: ${shownProblem(clean(mismatch))}`;
    return { kind: 'answered', failure: 'invalid_result', result: resultText(result, clean, words) };
  }
  const text = resultText(result, clean);
  return { kind: 'answered', ...(result.isError === true ? { failure: 'tool' } : {}), result: text };
}

/** What a server wrote of why a call failed may repeat what it was shown. */
function withoutSecrets(end: CallEnd, clean: (text: string) => string): CallEnd {
  if ('reason' in end) return { ...end, reason: clean(end.reason) };
  return end.kind === 'answered' ? { ...end, result: { ...end.result, text: clean(end.result.text) } } : end;
}

function inPlainWords(
  { clean, hasCredentials }: SessionParts,
  isGone: (error: unknown) => boolean,
): (error: unknown) => never {
  return (error) => {
    const reason = isGone(error) ? sessionEnded : connectionReason(error, { hasCredentials, isConnected: true });
    throw new Error(shownReason(clean(reason)), { cause: error });
  };
}

/** A definition that repeats a credential would carry it to models and onto the record. */
function withoutLeaks(list: ToolList, clean: (text: string) => string): ToolList {
  const isLeak = (definition: Json) => {
    const text = JSON.stringify(definition);
    return clean(text) !== text;
  };
  const leaks = list.definitions.filter(isLeak);
  if (leaks.length === 0) return list;
  const reason = 'its definition repeats a credential that the server was shown';
  return {
    definitions: list.definitions.filter((definition) => !leaks.includes(definition)),
    problems: [...list.problems, ...leaks.map((definition) => leftOut(clean(nameOf(definition)), reason))],
  };
}

function nameOf(definition: Json): string {
  const isObject = typeof definition === 'object' && definition !== null && 'name' in definition;
  return isObject && typeof definition.name === 'string' ? definition.name : '';
}

function noTools(error: unknown): { readonly tools: readonly Tool[] } {
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return { tools: [] };
  throw error;
}

async function listTools({ client, tap, clean }: SessionParts, timeoutMs: number): Promise<ToolList> {
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
  const problems = [...all.problems];
  for (const definition of all.definitions) {
    const bare = tap.bare(definition);
    if (bare === undefined || readable.has(bare.name)) definitions.push(definition);
    // The one reason for which the client leaves out a tool that it can read.
    else problems.push(leftOut(clean(bare.name), 'its x-mcp-header declarations are not valid'));
  }
  return { definitions, problems };
}
