import {
  type Client,
  type FetchLike,
  type Middleware,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { McpServerConfig } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { NotAllowed } from '../failures.ts';
import { AnswerScopes } from '../questions/answer-scopes.ts';
import { type CallScope, callScope } from '../questions/call-scope.ts';
import type { KnownPlaces } from './address-rules.ts';
import { checkedAgent, checkLiteral } from './checked-agent.ts';
import { childEnvironment, type Environment } from './child-environment.ts';
import { ChildProcessTransport } from './child-process-transport.ts';
import { commandProblem } from './command-rules.ts';
import { deadlineOf } from './deadline.ts';
import { createHttpFetch } from './http-fetch.ts';
import { JunkLines } from './junk-lines.ts';
import type { SkippedLine } from './line-reader.ts';
import { type InstallProblem, installProblem } from './npm-failure.ts';
import { oldTransport } from './old-transport.ts';
import { checkSandboxes, sandboxed } from './sandbox.ts';
import { StderrTail } from './stderr-tail.ts';

/** What lies between us and a server, and how it is ended. */
export type Line = {
  readonly transport: Transport;
  /** How the process ended, if there is one and it did. */
  readonly end: () => string | undefined;
  /** What a process wrote last to its error output: a few lines, and its last line. */
  readonly lastOutput: () => string;
  readonly lastLine: () => string;
  /** What that shows of an install by npx that failed: a broken cache, a package that is not there, no network; undefined if nothing. */
  readonly installProblem: () => InstallProblem | undefined;
  /** What a failure to connect comes from, if the server shows it when it is asked; the signal bounds the question. */
  readonly causeOfRefusal: (signal: AbortSignal) => Promise<Error | undefined>;
  /** Whether a refusal (HTTP 401) named where users log in (RFC 9728, `resource_metadata`). */
  readonly namesLogin: () => boolean;
  /** Lines of a process on its standard output that were no messages: how many, and the first one, redacted and bounded. */
  readonly junk: JunkLines;
  readonly oversize: { told: ((line: SkippedLine) => void) | undefined };
  readonly close: (client: Client) => Promise<void>;
  /** Does the work of a call, with the scope at hand wherever the line makes requests for it. */
  readonly within: <T>(scope: CallScope, work: () => T) => T;
  /** To be called when the call of a scope is over. */
  readonly over: (scope: CallScope) => void;
};

/**
 * A line to a child process.
 *
 * @throws NotAllowed if it would be started by a shell, or with code that is not its own, or cannot be put into its sandbox.
 */
export function stdioLine(
  config: Extract<McpServerConfig['transport'], { kind: 'stdio' }>,
  {
    bounds,
    environment,
    hiddenFolders = [],
    asks = false,
    onJunk,
  }: {
    readonly bounds: BridgeBounds;
    readonly environment: Environment;
    /** What no server in a sandbox may see, whatever its configuration names. */
    readonly hiddenFolders?: readonly string[];
    readonly asks?: boolean;
    /** Is told the first line of the process that is no message of the protocol. */
    readonly onJunk?: ((first: string) => void) | undefined;
  },
): Line {
  const problem = commandProblem(config);
  if (problem !== undefined) throw new NotAllowed(problem);
  const stderr = new StderrTail(bounds.stderrBytesMax, Object.values(config.env));
  const oversize: Line['oversize'] = { told: undefined };
  const junk = new JunkLines((text) => stderr.shown(text), onJunk);
  const scopes = asks ? new AnswerScopes() : undefined;
  const env = childEnvironment(environment, config.env);
  if (config.sandbox !== undefined) checkSandboxes(env);
  const started =
    config.sandbox === undefined
      ? config
      : sandboxed(config, config.sandbox, { env, cwd: process.cwd(), hidden: hiddenFolders });
  const transport = new ChildProcessTransport({
    command: started.command,
    args: started.args,
    env,
    ...bounds,
    stderr,
    scopes,
    onJunk: (text) => junk.add(text),
    onOversize: (skipped) => oversize.told?.(skipped),
  });
  return {
    transport,
    junk,
    oversize,
    end: () => transport.end,
    lastOutput: () => stderr.lastLines(),
    lastLine: () => stderr.lastLine(),
    installProblem: () => installProblem(stderr.text()),
    causeOfRefusal: async () => undefined,
    namesLogin: () => false,
    close: () => transport.close(),
    // A pipe carries no token, but questions belong to calls. Once a scope is used at all, every promise of the process pays for it (Node 20).
    within: (scope, work) => (scopes === undefined ? work() : callScope.run(scope, work)),
    over: (scope) => scopes?.forget(scope),
  };
}

/** What a line to a URL needs. */
export type HttpLineDependencies = {
  readonly bounds: BridgeBounds;
  /** Where its names stood before. */
  readonly places: KnownPlaces;
  /** How long the server may say nothing to a request, in milliseconds: at least as long as a call may last. */
  readonly silentMs: number;
  /** Puts credentials of our own into requests that bring no caller's token. */
  readonly credentials?: Middleware | undefined;
  /** Token of the caller that the line is for alone. */
  readonly token?: string | undefined;
};

/**
 * A line to a URL.
 *
 * @throws NotAllowed if its address is one that no tool server may have.
 */
export function httpLine(
  config: Extract<McpServerConfig['transport'], { kind: 'http' }>,
  { bounds, places, silentMs, credentials, token }: HttpLineDependencies,
): Line {
  const url = new URL(config.url);
  checkLiteral(url, places);
  const connections = checkedAgent(places, { silentMs });
  const fetch = createHttpFetch({
    ...bounds,
    connections,
    token,
    keepsAuthorization: credentials !== undefined,
  });
  const withOwn = credentials === undefined ? fetch : credentials(fetch);
  let namesLogin = false;
  // The client tells of a refusal, but not always by which status.
  let lastStatus = 0;
  const ask: FetchLike = async (to, init) => {
    const response = await withOwn(to, init);
    if (init?.method === 'POST') lastStatus = response.status;
    const challenge = response.status === 401 ? response.headers.get('www-authenticate') : null;
    if (challenge !== null) namesLogin = /\bresource_metadata\s*=/iu.test(challenge);
    return response;
  };
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: ask,
    reconnectionScheduler: (reconnect, askedMs) => {
      const timer = setTimeout(reconnect, streamPauseMs(askedMs, bounds));
      return () => clearTimeout(timer);
    },
  });
  return {
    transport,
    junk: new JunkLines(),
    oversize: { told: undefined },
    end: () => undefined,
    lastOutput: () => '',
    lastLine: () => '',
    installProblem: () => undefined,
    causeOfRefusal: (signal) => oldTransport(lastStatus, ask, url, signal),
    namesLogin: () => namesLogin,
    close: async (client) => {
      const limit = deadlineOf(bounds.sessionEndMs, 'the end of its session');
      try {
        await Promise.race([endHttpSession(transport), limit.passed]);
      } finally {
        limit.clear();
        await client.close();
        await transport.close();
        await connections.destroy();
      }
    },
    within: (scope, work) => callScope.run(scope, work),
    over: () => undefined,
  };
}

/** How long a stream that ended stays closed: a server that asks for no pause, or for one that no timer can hold, is not knocked at without end. */
export function streamPauseMs(
  askedMs: number,
  { streamPauseMinMs, streamPauseMaxMs }: Pick<BridgeBounds, 'streamPauseMinMs' | 'streamPauseMaxMs'>,
): number {
  return Math.min(Math.max(askedMs, streamPauseMinMs), streamPauseMaxMs);
}

/** Tells the server that its session is over. A server that cannot be reached has none any more. */
async function endHttpSession(transport: StreamableHTTPClientTransport): Promise<void> {
  try {
    await transport.terminateSession();
  } catch (error) {
    const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
    if (typeof status === 'number' && status !== 404)
      throw new Error(`its session could not be ended (HTTP ${status})`);
  }
}
