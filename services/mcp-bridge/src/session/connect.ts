import {
  Client,
  type Implementation,
  type PriorDiscovery,
  ProtocolError,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/client';
import { abortsWithin, type McpServerConfig } from '@stopgo/runtime';
import { shownUrl } from '@stopgo/security';
import type { BridgeBounds } from '../bounds.ts';
import { tokensHidden } from '../credentials/bearer.ts';
import { hasOwnCredentials, type OwnCredentials } from '../credentials/credentials.ts';
import { connectionReason, shownReason } from '../failures.ts';
import type { KnownPlaces } from '../lines/address-rules.ts';
import type { Environment } from '../lines/child-environment.ts';
import { deadlineOf } from '../lines/deadline.ts';
import { httpLine, type Line, stdioLine } from '../lines/line.ts';
import { quietSdk } from '../lines/quiet-sdk.ts';
import { AskingCalls, type Unplaced } from '../questions/asking-calls.ts';
import { peopleAnswer } from '../questions/elicitation.ts';
import { modelAnswers } from '../questions/sampling.ts';
import type { ServerAnswers } from '../questions/server-answers.ts';
import { ListTap } from '../tools/list-tap.ts';
import { type ConnectListeners, followToolChanges } from '../tools/tool-changes.ts';
import { definitionBounds } from '../tools/tool-selection.ts';
import { CallCancel } from './call-cancel.ts';
import { connectionSilenceMs } from './call-limit.ts';
import type { EraCache } from './era-cache.ts';
import { eraDoubt } from './era-doubt.ts';
import { createSession, type Session } from './session.ts';

/** The newest revision of the protocol that the client speaks; what `era: modern` insists on. */
const modernRevision = '2026-07-28';

/** What every connection of a bridge shares. */
export type ConnectDependencies = {
  readonly clientInfo: Implementation;
  readonly bounds: BridgeBounds;
  readonly environment: Environment;
  /** What no server in a sandbox may see. */
  readonly hiddenFolders?: readonly string[];
  readonly eras: EraCache;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  /** Credentials of our own for the requests to a server that bring no caller's token; absent: we have none. */
  readonly credentialsFor?: ((server: McpServerConfig) => OwnCredentials | undefined) | undefined;
  /** What a server may ask of us, and who answers; absent: nothing may be asked. */
  readonly answers?: ServerAnswers | undefined;
  /** Is told when a server asked something and nobody can tell for which of its calls. */
  readonly onUnplaced?: (server: string, why: Unplaced) => void;
};

/** What one connection is made with besides. */
export type ConnectPlace = {
  /** Where the names of the server stood before. */
  readonly places: KnownPlaces;
  readonly credentials: OwnCredentials | undefined;
  /** Token of the caller that the connection is for alone; absent: it is for all. */
  readonly token?: string | undefined;
};

/** When a connection that is being made is given up. */
export type ConnectLimits = { readonly timeoutMs: number; readonly signal: AbortSignal };

/**
 * Connects to a server: starts its process or reaches its address, and agrees on the protocol.
 *
 * @throws Error whose message says why it did not work; nothing of the attempt is left behind.
 */
export async function connect(
  config: McpServerConfig,
  dependencies: ConnectDependencies & ConnectPlace,
  listeners: ConnectListeners,
  limits: ConnectLimits,
): Promise<Session> {
  const { eras } = dependencies;
  const known = config.era === 'auto' ? eras.get(config) : undefined;
  const { clock } = dependencies;
  const deadline = clock() + limits.timeoutMs;
  const attempt = (prior: PriorDiscovery | undefined, pinned: boolean, isHint = false) =>
    connectOnce(config, dependencies, listeners, {
      prior,
      pinned,
      isHint,
      signal: limits.signal,
      timeoutMs: Math.max(1, deadline - clock()),
    });
  if (config.era === 'auto' && known === undefined && eras.hintsLegacy(config)) {
    const hinted = await attempt({ kind: 'legacy' }, false, true);
    if (hinted.kind === 'connected') return hinted.session;
    eras.forget(config);
    // A wrong hint costs this one try and nothing else.
    if (limits.signal.aborted || clock() >= deadline) throw hinted.error;
  }
  const first = await attempt(known, config.era === 'modern');
  if (first.kind === 'connected') return first.session;
  eras.forget(config);
  const next = config.era === 'auto' && known === undefined ? secondTry(first) : undefined;
  if (next === undefined) throw first.error;
  const second = await attempt(next.prior, next.pinned);
  if (second.kind === 'connected') return second.session;
  throw second.error;
}

type Attempt =
  | { readonly kind: 'connected'; readonly session: Session }
  | { readonly kind: 'failed'; readonly error: Error; readonly endedWhileAsked: boolean; readonly cause: unknown };

/** What else to try when a server whose protocol is unknown did not get along with the question for it. */
function secondTry(
  failure: Extract<Attempt, { kind: 'failed' }>,
): { readonly prior: PriorDiscovery | undefined; readonly pinned: boolean } | undefined {
  // Servers of the older protocol may end at a request they do not know.
  if (failure.endedWhileAsked) return { prior: { kind: 'legacy' }, pinned: false };
  // A server that was slow to start was taken for an older one, and refused to be.
  const version = failure.cause instanceof UnsupportedProtocolVersionError;
  const refused = failure.cause instanceof ProtocolError && /protocol version/iu.test(failure.cause.message);
  return version || refused ? { prior: undefined, pinned: true } : undefined;
}

type Agreement = ConnectLimits & {
  readonly prior: PriorDiscovery | undefined;
  readonly pinned: boolean;
  /** Its protocol is one that an earlier process found: it may be wrong. */
  readonly isHint: boolean;
};

async function connectOnce(
  config: McpServerConfig,
  dependencies: ConnectDependencies & ConnectPlace,
  listeners: ConnectListeners,
  { prior, pinned, isHint, timeoutMs, signal }: Agreement,
): Promise<Attempt> {
  const { bounds, clientInfo, eras, places, credentials, token, clock } = dependencies;
  const askingCalls = new AskingCalls((why) => dependencies.onUnplaced?.(config.name, why));
  const answers = dependencies.answers ?? allOf(peopleAnswer(config, askingCalls), modelAnswers(config, askingCalls));
  const hasCredentials = hasOwnCredentials(config.transport);
  const hideToken = tokensHidden(token);
  const clean = (text: string) => hideToken(credentials?.clean(text) ?? text);
  const onePipe = config.transport.kind === 'stdio';
  const line =
    config.transport.kind === 'stdio'
      ? stdioLine(config.transport, { ...dependencies, asks: answers !== undefined, onJunk: listeners.onJunk })
      : httpLine(config.transport, {
          ...{ bounds, places, credentials: credentials?.middleware, token },
          silentMs: connectionSilenceMs(config, answersMsOf(config, bounds)),
        });
  listeners.onLine?.(line);
  const { transport } = line;
  const tap = new ListTap({ ...bounds, ...definitionBounds(config, bounds) }, clean);
  const doubt = isHint
    ? eraDoubt({ transport, clientInfo, revision: modernRevision, afterMs: bounds.hintSilenceMs })
    : undefined;
  tap.attach(transport, (message) => {
    doubt?.came(message);
    askingCalls.came(message);
  });
  const callCancel = new CallCancel();
  callCancel.attach(transport);
  askingCalls.attach(transport);
  quietSdk(console);
  const mode = config.era === 'legacy' ? 'legacy' : pinned ? { pin: modernRevision } : 'auto';
  const client = new Client(clientInfo, {
    capabilities: answers?.capabilities ?? {},
    versionNegotiation: { mode, probe: { timeoutMs: onePipe ? Math.min(bounds.probeMs, timeoutMs) : timeoutMs } },
    // Where nobody could answer, such a call gets an error result.
    inputRequired: { autoFulfill: answers !== undefined, maxRounds: bounds.questionRoundsMax },
    listMaxPages: bounds.listPagesMax,
  });
  answers?.register(client, config);
  client.onerror = (error) => listeners.onError(onePipe ? error : withoutBody(error));

  let closing = false;
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => {
      if (!closing) resolve(withOutput(line.end() ?? 'the connection was closed', line));
    };
  });
  const close = async () => {
    closing = true;
    await line.close(client);
  };
  const more = onePipe ? '; if it needs longer, as for an install, set start_timeout' : '';
  const limit = deadlineOf(timeoutMs, `the first message${more}`, signal);
  try {
    const options = { timeout: timeoutMs, ...(prior === undefined ? {} : { prior }) };
    await Promise.race([
      client.connect(transport, options),
      limit.passed,
      ...(doubt === undefined ? [] : [doubt.spoken]),
    ]);
  } catch (error) {
    const endedWhileAsked = line.end() !== undefined;
    const cause =
      (await line.causeOfRefusal(abortsWithin(Math.min(bounds.oldTransportMs, timeoutMs), signal))) ?? error;
    await close().catch(() => undefined);
    const reason = endedWhileAsked
      ? `${line.end()} before it answered`
      : connectionReason(cause, {
          hasCredentials,
          namesLogin: line.namesLogin(),
          ...(config.transport.kind === 'http' ? { url: shownUrl(config.transport.url) } : {}),
        });
    const text = shownReason(clean(withOutput(reason, line)));
    return { kind: 'failed', error: new Error(text, { cause }), endedWhileAsked, cause };
  } finally {
    limit.clear();
    doubt?.end();
  }
  const discover = client.getDiscoverResult();
  eras.set(config, discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover });
  const followsChanges = followToolChanges(
    client,
    listeners,
    bounds.backoffFirstMs,
    () => closing,
    // A child process has one pipe for everything; changes cannot get lost on it.
    onePipe,
  );
  const session = createSession({
    server: config.name,
    clean,
    hasCredentials,
    client,
    tap,
    followsChanges,
    callCancel,
    askingCalls,
    answersMs: answersMsOf(config, bounds),
    waits: { ...bounds, clock },
    hasSession: () => transport.sessionId !== undefined,
    endReason: () => {
      const end = line.end();
      return end === undefined ? undefined : withOutput(end, line);
    },
    oversize: line.oversize,
    ended,
    close,
    within: line.within,
    over: line.over,
  });
  return { kind: 'connected', session };
}

/** Longest that the calls of a server wait for people and for models, in milliseconds. */
function answersMsOf(
  { questions, sampling }: McpServerConfig,
  { samplingMs, answerGraceMs }: Pick<BridgeBounds, 'samplingMs' | 'answerGraceMs'>,
): number {
  const people = questions === undefined ? 0 : questions.timeoutMs + answerGraceMs;
  return people + (sampling === undefined ? 0 : samplingMs + answerGraceMs);
}

function allOf(...parts: readonly (ServerAnswers | undefined)[]): ServerAnswers | undefined {
  const [first, ...others] = parts.filter((part) => part !== undefined);
  return others.reduce<ServerAnswers | undefined>(
    (all, one) =>
      all && {
        capabilities: { ...all.capabilities, ...one.capabilities },
        register: (client, server) => {
          all.register(client, server);
          one.register(client, server);
        },
      },
    first,
  );
}

/** What went wrong, without what the server wrote: it may have repeated a caller's token. */
function withoutBody(error: Error): Error {
  const status = 'status' in error ? ` (HTTP ${error.status})` : '';
  const code = 'code' in error ? ` (${error.code})` : '';
  return new Error(`${error.name}${code}${status}`);
}

function withOutput(ended: string, line: Line): string {
  const problem = line.installProblem();
  const output = problem?.isWhole === true ? '' : line.lastOutput();
  const reason = problem === undefined ? ended : `${ended}: ${problem.text}`;
  return output === '' ? reason : `${reason}; its last output: ${output}`;
}
