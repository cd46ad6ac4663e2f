import {
  argumentsBytesMax,
  type BlobRef,
  byteLength,
  canonicalJson,
  isRepeatable,
  type Json,
  lossProblem,
  parseJson,
} from '@stopgo/core';
import { shownProblem } from '@stopgo/json-schema';
import type { Standing, Waits } from '@stopgo/log';
import { mcp, type store } from '@stopgo/proto';
import type { SecretFilter } from '@stopgo/security';
import type { BridgeBounds } from '../bounds.ts';
import { isHeaderToken, tokensHidden, withoutTokens } from '../credentials/bearer.ts';
import { reasonOf } from '../failures.ts';
import type { Ask } from '../questions/call-scope.ts';
import { dismissed } from '../questions/open-questions.ts';
import { type CallEnd, type FailureKind, failed, type LostCause } from '../results/call-end.ts';
import type { ServerConnection } from '../servers/server-connection.ts';
import type { Session } from '../session/session.ts';
import type { CatalogueTool } from '../tools/catalogue.ts';
import { untilAborted } from '../unless-aborted.ts';
import { AnswerWait, type AnswerWaitDependencies } from './answer-wait.ts';
import type { AttemptWatch } from './attempts.ts';
import type { BlobKeeper } from './blob-keeper.ts';
import { CallStanding } from './call-standing.ts';
import { type GateVerdict, gate, gateWithTicket, needsTicket } from './gate.ts';
import { finished, type Outcome, refused, unknown, withoutSecrets } from './outcome.ts';
import type { Tickets } from './tickets.ts';
import { untilBack } from './until-back.ts';

const { RefusedReason } = mcp;

/** Times that a tool may be another one by the time that the arguments have been checked. */
const changesMax = 3;

/** What an attempt needs to be made. */
export type ExecutorDependencies = {
  readonly server: (name: string) => ServerConnection | undefined;
  /** What runs wait for here: told to whoever reads their conversations. */
  readonly waits?: Waits;
  /** Whether this bridge may still act under the id that an attempt is for. */
  readonly standing: Standing;
  /** The tool as the catalogue has it now, also one that is held. */
  readonly tool: (server: string, name: string) => CatalogueTool | undefined;
  readonly tickets: Tickets;
  readonly blobs: BlobKeeper;
  /** The credentials of all servers: none is told those of another. */
  readonly secrets: SecretFilter;
  readonly bounds: BridgeBounds;
  /** Is told of errors that should not exist, as text. */
  readonly onDefect: (trace: string) => void;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
};

const secretInArguments = 'the arguments hold a token or a key that the platform keeps secret; leave it out';

type Arguments = { readonly [key: string]: Json };

/** A call whose server and arguments are known. */
type Call = {
  readonly request: mcp.ExecuteRequest;
  readonly server: ServerConnection;
  readonly arguments: Arguments;
  /** The caller's token, if the server is to get it. */
  readonly token: string | undefined;
  readonly watch: AttemptWatch;
};

/**
 * Makes one attempt of a call: waits for its turn, passes the gate, sends. Aborting the signal takes it out of the queue
 * or asks the server to stop it. Never throws; the token is in nothing that it returns.
 */
export async function makeAttempt(
  request: mcp.ExecuteRequest,
  token: string | undefined,
  watch: AttemptWatch,
  dependencies: ExecutorDependencies,
): Promise<Outcome> {
  const { signal } = watch;
  const server = dependencies.server(request.server);
  if (server === undefined) return toolNotFound(request);
  const args = parseArguments(request.argumentsJson);
  if (typeof args === 'string') return answer(failed(args, 'invalid_arguments'), 0, undefined);
  if (dependencies.secrets.holds(JSON.stringify(args)))
    return answer(failed(secretInArguments, 'invalid_arguments'), 0, undefined);
  // Its approval may have come just when the server is away for a moment.
  if (server.down !== undefined) await untilBack(server, request, dependencies, dependencies.bounds.callWaitMs, signal);
  if (server.down !== undefined) return unavailable(server.down);
  if (server.queue.full) {
    const { callsQueuedMax } = dependencies.bounds;
    const reason = `the server "${request.server}" has ${callsQueuedMax} calls waiting already; try again later`;
    return unavailable({ reason });
  }
  if (server.forwardsBearer && token !== undefined && !isHeaderToken(token)) {
    return refused(RefusedReason.UNAUTHENTICATED, 'the bearer token has characters that no token may have');
  }
  const call: Call = { request, server, arguments: args, watch, token: server.forwardsBearer ? token : undefined };
  return new Promise((resolve) => {
    const leave = server.queue.add(async () => {
      signal.removeEventListener('abort', canceled);
      watch.onTurn();
      try {
        resolve(withoutSecrets(await runCall(call, dependencies), dependencies.secrets));
      } catch (error) {
        dependencies.onDefect(
          withoutTokens(error instanceof Error ? (error.stack ?? error.message) : String(error), token),
        );
        resolve(unknown(inDoubt('the bridge failed while the call ran')));
      }
    });
    function canceled(): void {
      if (leave()) resolve(canceledInTime());
    }
    signal.addEventListener('abort', canceled, { once: true });
  });
}

async function runCall(call: Call, dependencies: ExecutorDependencies): Promise<Outcome> {
  const { tool: find, bounds, clock, standing } = dependencies;
  const { request, server, arguments: args, token, watch } = call;
  const { signal } = watch;
  const { timeoutMs, totalTimeoutMs } = server.config;
  const began = clock();
  const hideToken = tokensHidden(token);
  const clean = (text: string) => dependencies.secrets.hide(hideToken(server.clean(text, undefined)));
  // Run from the first time that the call is sent: what it waited for before does not count.
  let sentAt: number | undefined;
  let progressAt = 0;
  /** The answer, once what it holds beside text is kept: an event is to name nothing that could be lost. */
  const kept = async (sent: Answered, durationMs: number): Promise<Outcome> => {
    const { attachments = [] } = sent.result;
    if (attachments.length === 0) return answer(sent, durationMs, token);
    return answer(sent, durationMs, token, await dependencies.blobs.keep(attachments, request.key ?? noKey, clean));
  };
  const isFenced = (): boolean => {
    const hints = find(request.server, request.tool)?.hints;
    return hints !== undefined && !isRepeatable(hints);
  };
  // As it was when it was sent: whatever its server says of the tool meanwhile, or no longer says, the call is on record as fenced.
  let sentFenced = false;
  const goesOn = new CallStanding(standing, request.instance, watch.questions);
  const put: AnswerWaitDependencies['put'] = (question, until, over) =>
    (sentFenced ? goesOn : watch.questions).ask(question, until, over);
  const answers = new AnswerWait(server, watch, { bounds, clock, clean, put });
  const timeLeft = (first: number) =>
    Math.min(first + totalTimeoutMs + answers.tookMs, Math.max(first, progressAt, answers.until) + timeoutMs) - clock();
  // Once a repeatable call has been sent, nothing but a result says how it ended.
  let lost: { readonly text: string; readonly failure: FailureKind } | undefined;
  const end = (otherwise: Outcome): Outcome =>
    lost === undefined ? otherwise : answer(failed(lost.text, lost.failure), clock() - began, token);
  let renewed = false;
  // Nothing has been sent, so that all is looked at again and it can be: once, for a server that is away for a moment.
  let waited = false;
  let unsent = false;
  const outOfTouch = new AbortController();
  // With an answer the call goes on, or is sent once more: by then, too, others may have taken this bridge for dead.
  const ask: Ask = async (question, over) => {
    const said = await answers.ask(question, over);
    if (over.aborted || !sentFenced || goesOn.isGiven(said) || (await goesOn.mayGoOn(over))) return said;
    outOfTouch.abort();
    await untilAborted(over);
    return dismissed;
  };
  // People have approved the tool as it was: its server is asked what it is now, if it would not have told.
  const freshMs = request.approvalId === '' ? bounds.listFreshMs : bounds.approvedListFreshMs;
  let available = await server.current(signal, freshMs);
  let previous: Session | undefined;
  let changes = 0;
  for (let repeats = 0; ; ) {
    if (available.kind === 'down') {
      if (waited || lost !== undefined) return end(unavailable(available));
      waited = true;
      available = await untilBack(server, request, dependencies, bounds.callWaitMs, signal);
      continue;
    }
    // First, as it may take a while: nothing slow stands between the look at the record and the call.
    const place = await server.sessionFor(available.session, token);
    if (place.kind === 'unauthenticated') return end(unauthenticated(request));
    if (place.kind === 'refused') return end(unavailable(place));
    const { session } = place;
    // One of its caller's own may have taken so long to open that the list is old again.
    if (session !== available.session && session !== previous) server.listing.refreshIfStale(freshMs);
    previous = session;
    // It may wait for a thread, so that it comes before the look at the record, too.
    const checked = find(request.server, request.tool);
    const mismatch = await checked?.inputCheck(args);
    const look = await lookUp(call, dependencies);
    if (signal.aborted) return end(canceledInTime());
    if (look.kind === 'refused') return end(look.outcome);
    // What was told of its tools meanwhile comes first.
    if (look.kind === 'looked_up' && server.listing.reading !== undefined) {
      available = await server.current(signal);
      continue;
    }
    // Whoever took this bridge for dead has put the call in doubt, and somebody may have decided on it, or made it elsewhere.
    // Then it must not run here, however late this process finds out. Looked at again after each wait.
    if (isFenced() && !(await mayStillSend(standing, request.instance, signal))) return end(takenForDead());
    const tool = find(request.server, request.tool);
    if (tool === undefined) return end(toolNotFound(request));
    // It may have run already, when it was safe to repeat; a server that is another by now does not make it run twice.
    if (lost !== undefined && !isRepeatable(tool.hints)) return unknown(inDoubt(lost.text), lost.failure);
    const refusal = refusalOf(tool, gateWithTicket(tool, credentialsOf(request), look.ticket));
    if (refusal !== undefined) return end(refusal);
    if (tool.pin !== checked?.pin) {
      changes += 1;
      if (changes > changesMax) return end(unavailable({ reason: `the server "${request.server}" keeps changing` }));
      continue;
    }
    if (mismatch !== undefined) {
      const words = `the arguments are not what the tool takes: ${shownProblem(clean(mismatch))}`;
      return end(answer(failed(words, 'invalid_arguments'), 0, undefined));
    }
    if (signal.aborted) return end(canceledInTime());
    sentAt ??= clock();
    sentFenced = !isRepeatable(tool.hints);
    if (timeLeft(sentAt) <= 0)
      return end(unavailable({ reason: `the server "${request.server}" took too long to come back` }));
    const sent = await session.call({
      tool,
      arguments: args,
      token,
      signal: AbortSignal.any([signal, outOfTouch.signal]),
      timeoutMs: Math.min(timeoutMs, timeLeft(sentAt)),
      totalTimeoutMs: sentAt + totalTimeoutMs + answers.tookMs - clock(),
      ...(server.config.questions === undefined && server.config.sampling === undefined ? {} : { ask }),
      onProgress: (progress) => {
        progressAt = clock();
        watch.onProgress({ ...progress, message: clean(progress.message ?? '') });
      },
    });
    switch (sent.kind) {
      case 'answered':
        // A change of the list that was told meanwhile was left until now.
        server.listing.refreshIfStale();
        return await kept(sent, clock() - began);
      case 'unauthenticated':
        server.unauthenticated();
        return unauthenticated(request);
      case 'not_sent':
        server.happened(session, { type: 'lost', reason: sent.reason });
        if (waited || unsent || lost !== undefined)
          return end(unavailable({ reason: `the server "${request.server}" is down: ${sent.reason}` }));
        unsent = true;
        sentAt = undefined;
        available = await server.current(signal);
        continue;
      case 'session_gone':
        if (!sent.certain) {
          lost = { text: clean(`the server "${request.server}" ${sent.reason}`), failure: 'server_lost' };
          if (!isRepeatable(tool.hints)) {
            server.happened(session, { type: 'lost', reason: 'it seems to have ended the session' });
            return unknown(inDoubt(lost.text), lost.failure);
          }
        }
        if (renewed) return end(unavailable({ reason: `the server "${request.server}" does not keep its sessions` }));
        renewed = true;
        available = await server.renew(session, signal);
        continue;
      case 'lost':
        break;
    }
    const leftAlone = outOfTouch.signal.aborted && !signal.aborted;
    const why = leftAlone
      ? 'asked people something, and was told no more: the bridge may have been taken for dead meanwhile'
      : sent.reason;
    const text = clean(`the server "${request.server}" ${why}`);
    const failure = failureOf(sent.cause);
    const reason = clean(sent.reason);
    if (sent.cause === 'connection') server.happened(session, { type: 'lost', reason });
    if (sent.cause === 'timeout') server.happened(session, { type: 'doubted', reason: `a call ${reason}` });
    if (!isRepeatable(tool.hints)) return unknown(inDoubt(text), failure);
    lost = { text, failure };
    repeats += 1;
    const over = sent.cause === 'timeout' || sent.cause === 'canceled' || timeLeft(sentAt) <= 0;
    if (over || repeats > bounds.repeatsMax) return end(unavailable({ reason: text }));
    available = await untilBack(server, request, dependencies, Math.min(bounds.repeatWaitMs, timeLeft(sentAt)), signal);
  }
}

function failureOf(cause: LostCause): FailureKind {
  return cause === 'timeout' || cause === 'canceled' ? cause : 'server_lost';
}

type Look =
  | { readonly kind: 'not_needed'; readonly ticket: undefined }
  | { readonly kind: 'looked_up'; readonly ticket: store.Ticket | undefined }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

/** What the stream of its conversation holds of a call, if it is to be asked. It is not for what is refused anyway. */
async function lookUp({ request, watch }: Call, { tool: find, tickets }: ExecutorDependencies): Promise<Look> {
  const tool = find(request.server, request.tool);
  const credentials = credentialsOf(request);
  if (tool === undefined || gate(tool, credentials).kind !== 'open' || !needsTicket(tool, credentials))
    return { kind: 'not_needed', ticket: undefined };
  try {
    return { kind: 'looked_up', ticket: await tickets.ticket(request.key ?? noKey, watch.signal) };
  } catch (error) {
    const message = `the log could not be asked whether the call may run (${reasonOf(error)}); it was not sent`;
    return { kind: 'refused', outcome: refused(RefusedReason.RECORD_UNAVAILABLE, message) };
  }
}

const noKey = { conversationId: '', runId: '', callId: '' };

function credentialsOf(request: mcp.ExecuteRequest) {
  const { pin, approvalId, digest, argumentsJson, instance } = request;
  return { pin, approvalId, digest, argumentsJson, instance, attempt: request.key?.attempt ?? 0 };
}

function refusalOf(tool: CatalogueTool, verdict: GateVerdict): Outcome | undefined {
  switch (verdict.kind) {
    case 'open':
      return undefined;
    case 'pin_changed':
      return refused(RefusedReason.PIN_CHANGED, verdict.message, { tool });
    case 'held':
      return refused(RefusedReason.TOOL_HELD, verdict.message);
    case 'not_approved':
      return refused(RefusedReason.NOT_APPROVED, verdict.message);
    case 'not_on_record':
      return refused(RefusedReason.NOT_ON_RECORD, verdict.message);
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
  // What would not be sent as it stands there was shown to people otherwise than it would arrive.
  const loss = lossProblem(text);
  if (loss !== undefined) return `the arguments cannot be sent as they are: ${loss}`;
  return parsed as Arguments;
}

type Answered = Extract<CallEnd, { kind: 'answered' }>;

function answer(end: Answered, durationMs: number, token: string | undefined, blobs: readonly BlobRef[] = []): Outcome {
  return finished({ ...end.result, text: withoutTokens(end.result.text, token) }, end.failure, durationMs, blobs);
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

function unauthenticated({ server }: mcp.ExecuteRequest): Outcome {
  return refused(RefusedReason.UNAUTHENTICATED, `Authentication required to access the ${server} server.`);
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

function unavailable({
  reason,
  retryAfterMs,
}: {
  readonly reason: string;
  readonly retryAfterMs?: number | undefined;
}) {
  return refused(RefusedReason.SERVER_UNAVAILABLE, `${reason}; the call was not sent`, { retryAfterMs });
}
