import { argumentsBytesMax, byteLength, canonicalJson, isRepeatable, type Json, parseJson } from '@stopgo/core';
import type { Standing } from '@stopgo/log';
import { mcp } from '@stopgo/proto';
import { isHeaderToken, withoutToken } from './bearer.ts';
import type { BridgeBounds } from './bounds.ts';
import { type CallEnd, failed } from './call-end.ts';
import { gate } from './gate.ts';
import { finished, type Outcome, refused, unknown } from './outcome.ts';
import type { ServerConnection } from './server-connection.ts';
import type { DefinedTool } from './tool-definitions.ts';

const { RefusedReason } = mcp;

/** What an attempt needs to be made. */
export type ExecutorDependencies = {
  readonly server: (name: string) => ServerConnection | undefined;
  /** Whether this bridge may still act under the id that an attempt is for. */
  readonly standing: Standing;
  /** The tool as the catalogue has it now. */
  readonly tool: (server: string, name: string) => DefinedTool | undefined;
  readonly bounds: BridgeBounds;
  /** Is told of errors that should not exist, as text. */
  readonly onDefect: (trace: string) => void;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
};

type Arguments = { readonly [key: string]: Json };

/** A call whose server and arguments are known. */
type Call = {
  readonly request: mcp.ExecuteRequest;
  readonly server: ServerConnection;
  readonly arguments: Arguments;
  /** The caller's token, if the server is to get it. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
};

/**
 * Makes one attempt of a call: waits for its turn, passes the gate, sends. Aborting the signal takes it out of the queue
 * or asks the server to stop it. Never throws; the token is in nothing that it returns.
 */
export async function makeAttempt(
  request: mcp.ExecuteRequest,
  token: string | undefined,
  signal: AbortSignal,
  dependencies: ExecutorDependencies,
): Promise<Outcome> {
  const server = dependencies.server(request.server);
  if (server === undefined) return toolNotFound(request);
  const args = parseArguments(request.argumentsJson);
  if (typeof args === 'string') return answer(failed(args), 0, undefined);
  // Its approval may have come just when the server is away for a moment.
  if (server.downReason !== undefined) await server.comeBack(dependencies.bounds.callWaitMs, signal);
  if (server.downReason !== undefined) return unavailable(server.downReason);
  if (server.queue.full) {
    const { callsQueuedMax } = dependencies.bounds;
    return unavailable(`the server "${request.server}" has ${callsQueuedMax} calls waiting already; try again later`);
  }
  if (server.forwardsBearer && token !== undefined && !isHeaderToken(token)) {
    return refused(RefusedReason.UNAUTHENTICATED, 'the bearer token has characters that no token may have');
  }
  const call: Call = { request, server, arguments: args, signal, token: server.forwardsBearer ? token : undefined };
  return new Promise((resolve) => {
    const canceled = () => resolve(canceledInTime());
    signal.addEventListener('abort', canceled, { once: true });
    server.queue.add(async () => {
      signal.removeEventListener('abort', canceled);
      try {
        resolve(await runCall(call, dependencies));
      } catch (error) {
        dependencies.onDefect(
          withoutToken(error instanceof Error ? (error.stack ?? error.message) : String(error), token),
        );
        resolve(unknown(inDoubt('the bridge failed while the call ran')));
      }
    });
  });
}

async function runCall(call: Call, { tool: find, bounds, clock, standing }: ExecutorDependencies): Promise<Outcome> {
  const { request, server, arguments: args, token, signal } = call;
  const began = clock();
  // Runs from the first time that the call is sent: what it waited for before does not count.
  let deadline: number | undefined;
  // Once a repeatable call has been sent, nothing but a result says how it ended.
  let lostText: string | undefined;
  const end = (otherwise: Outcome): Outcome =>
    lostText === undefined ? otherwise : answer(failed(lostText), clock() - began, token);
  let renewed = false;
  let available = await server.current(signal);
  for (let repeats = 0; ; ) {
    if (available.kind === 'down') return end(unavailable(available.reason));
    const isFenced = (): boolean => {
      const hints = find(request.server, request.tool)?.hints;
      return hints !== undefined && !isRepeatable(hints);
    };
    // Whoever took this bridge for dead has put the call in doubt, and somebody may have decided on it, or made it elsewhere.
    // Then it must not run here, however late this process finds out. Looked at again after each wait.
    if (isFenced() && !(await mayStillSend(standing, request.instance, signal))) return end(takenForDead());
    const tool = find(request.server, request.tool);
    if (tool === undefined) return end(toolNotFound(request));
    // It may have run already, when it was safe to repeat; a server that is another by now does not make it run twice.
    if (lostText !== undefined && !isRepeatable(tool.hints)) return unknown(inDoubt(lostText));
    const refusal = refusalOf(tool, request);
    if (refusal !== undefined) return end(refusal);
    if (signal.aborted) return end(canceledInTime());
    deadline ??= clock() + server.config.timeoutMs;
    const timeoutMs = deadline - clock();
    if (timeoutMs <= 0) return end(unavailable(`the server "${request.server}" took too long to come back`));
    const { session } = available;
    const sent = await session.call({ tool, arguments: args, token, signal, timeoutMs });
    switch (sent.kind) {
      case 'answered':
        // A change of the list that was told meanwhile was left until now.
        server.refreshIfStale();
        return answer(sent, clock() - began, token);
      case 'unauthenticated':
        return refused(
          RefusedReason.UNAUTHENTICATED,
          `Authentication required to access the ${request.server} server.`,
        );
      case 'not_sent':
        server.lost(session, sent.reason);
        return end(unavailable(`the server "${request.server}" is down: ${sent.reason}`));
      case 'session_gone':
        if (!sent.certain) {
          lostText = withoutToken(`the server "${request.server}" ${sent.reason}`, token);
          if (!isRepeatable(tool.hints)) {
            server.lost(session, 'it seems to have ended the session');
            return unknown(inDoubt(lostText));
          }
        }
        if (renewed) return end(unavailable(`the server "${request.server}" does not keep its sessions`));
        renewed = true;
        available = await server.renew(session, signal);
        continue;
      case 'lost':
        break;
    }
    const text = withoutToken(`the server "${request.server}" ${sent.reason}`, token);
    if (sent.cause === 'connection') server.lost(session, withoutToken(sent.reason, token));
    if (sent.cause === 'timeout') server.suspect(session);
    if (!isRepeatable(tool.hints)) return unknown(inDoubt(text));
    lostText = text;
    repeats += 1;
    const over = sent.cause === 'timeout' || sent.cause === 'canceled' || clock() >= deadline;
    if (over || repeats > bounds.repeatsMax) return end(unavailable(text));
    available = await server.comeBack(Math.min(bounds.repeatWaitMs, deadline - clock()), signal);
  }
}

function refusalOf(tool: DefinedTool, request: mcp.ExecuteRequest): Outcome | undefined {
  const verdict = gate(tool, request);
  switch (verdict.kind) {
    case 'open':
      return undefined;
    case 'pin_changed':
      return refused(RefusedReason.PIN_CHANGED, verdict.message, tool);
    case 'not_approved':
      return refused(RefusedReason.NOT_APPROVED, verdict.message);
  }
}

/** The arguments, or why they are none. */
function parseArguments(text: string): Arguments | string {
  const bytes = byteLength(text);
  if (bytes > argumentsBytesMax) return `the arguments have ${bytes} bytes; at most ${argumentsBytesMax} are allowed`;
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return 'the arguments are not a JSON object';
  }
  try {
    // Half a character cannot be part of a digest, and could not be sent either.
    canonicalJson(parsed);
  } catch {
    return 'the arguments hold text that is not valid Unicode';
  }
  return parsed as Arguments;
}

function answer(end: Extract<CallEnd, { kind: 'answered' }>, durationMs: number, token: string | undefined): Outcome {
  return finished({ ...end.result, text: withoutToken(end.result.text, token) }, end.isError, durationMs);
}

function inDoubt(reason: string): string {
  return `${reason}; whether the call took effect is not known`;
}

async function mayStillSend(standing: Standing, instance: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await standing.mayAct(instance, signal);
  } catch {
    return false;
  }
}

function takenForDead(): Outcome {
  return refused(
    RefusedReason.FENCED,
    'the bridge was out of touch and may have been taken for dead; the call was not sent, and may be made anew',
  );
}

function canceledInTime(): Outcome {
  return refused(RefusedReason.FENCED, 'the call was canceled before it was sent; it did not run');
}

function toolNotFound(request: mcp.ExecuteRequest): Outcome {
  return refused(RefusedReason.TOOL_NOT_FOUND, `Tool not found: ${request.tool}`);
}

function unavailable(reason: string): Outcome {
  return refused(RefusedReason.SERVER_UNAVAILABLE, `${reason}; the call was not sent`);
}
