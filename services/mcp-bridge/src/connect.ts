import {
  Client,
  type Implementation,
  type PriorDiscovery,
  ProtocolError,
  StreamableHTTPClientTransport,
  type Transport,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/client';
import type { McpServerConfig } from '@stopgo/runtime';
import type { BridgeBounds } from './bounds.ts';
import { childEnvironment, type Environment } from './child-environment.ts';
import { ChildProcessTransport } from './child-process-transport.ts';
import type { EraCache } from './era-cache.ts';
import { connectionReason, reasonOf } from './failures.ts';
import { createHttpFetch } from './http-fetch.ts';
import { ListTap } from './list-tap.ts';
import { createSession, type Session } from './session.ts';
import { StderrTail } from './stderr-tail.ts';

/** The newest revision of the protocol that the client speaks; what `era: modern` insists on. */
const modernRevision = '2026-07-28';

/** What every connection of a bridge shares. */
export type ConnectDependencies = {
  readonly clientInfo: Implementation;
  readonly bounds: BridgeBounds;
  readonly environment: Environment;
  readonly eras: EraCache;
};

/** What one connection reports while it lives. */
export type ConnectListeners = {
  readonly onToolsChanged: () => void;
  readonly onError: (error: Error) => void;
};

/**
 * Connects to a server within `timeoutMs`: starts its process or reaches its address, and agrees on the protocol.
 *
 * @throws Error whose message says why it did not work; nothing of the attempt is left behind.
 */
export async function connect(
  config: McpServerConfig,
  dependencies: ConnectDependencies,
  listeners: ConnectListeners,
  timeoutMs: number,
): Promise<Session> {
  const { eras } = dependencies;
  const known = config.era === 'auto' ? eras.get(config) : undefined;
  const deadline = performance.now() + timeoutMs;
  const attempt = (prior: PriorDiscovery | undefined, pinned: boolean) =>
    connectOnce(config, dependencies, listeners, {
      prior,
      pinned,
      timeoutMs: Math.max(1, deadline - performance.now()),
    });
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

type Agreement = {
  readonly prior: PriorDiscovery | undefined;
  readonly pinned: boolean;
  readonly timeoutMs: number;
};

async function connectOnce(
  config: McpServerConfig,
  dependencies: ConnectDependencies,
  listeners: ConnectListeners,
  { prior, pinned, timeoutMs }: Agreement,
): Promise<Attempt> {
  const { bounds, clientInfo, eras } = dependencies;
  const line =
    config.transport.kind === 'stdio' ? stdioLine(config.transport, dependencies) : httpLine(config.transport, bounds);
  const { transport } = line;
  const tap = new ListTap();
  tap.attach(transport);
  const mode = config.era === 'legacy' ? 'legacy' : pinned ? { pin: modernRevision } : 'auto';
  const client = new Client(clientInfo, {
    capabilities: {},
    versionNegotiation: { mode, probe: { timeoutMs: Math.min(bounds.probeMs, timeoutMs) } },
    // Nobody here could answer for a person; such a call gets an error result.
    inputRequired: { autoFulfill: false },
    listMaxPages: bounds.listPagesMax,
  });
  client.onerror = (error) => listeners.onError(config.transport.kind === 'stdio' ? error : withoutBody(error));

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
  const limit = deadlineOf(timeoutMs);
  try {
    const options = { timeout: timeoutMs, ...(prior === undefined ? {} : { prior }) };
    await Promise.race([client.connect(transport, options), limit.passed]);
  } catch (error) {
    const endedWhileAsked = line.end() !== undefined;
    await close().catch(() => undefined);
    const reason = endedWhileAsked ? `${line.end()} before it answered` : connectionReason(error);
    const text = withOutput(reason, line);
    return { kind: 'failed', error: new Error(text, { cause: error }), endedWhileAsked, cause: error };
  } finally {
    limit.clear();
  }
  const discover = client.getDiscoverResult();
  eras.set(config, discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover });
  followToolChanges(client, listeners, bounds.backoffFirstMs, () => closing);
  const session = createSession({
    server: config.name,
    client,
    tap,
    streamResumeMs: bounds.streamResumeMs,
    hasSession: () => transport.sessionId !== undefined,
    endReason: () => {
      const end = line.end();
      return end === undefined ? undefined : withOutput(end, line);
    },
    oversize: line.oversize,
    ended,
    close,
  });
  return { kind: 'connected', session };
}

type Line = {
  readonly transport: Transport;
  /** How the process ended, if there is one and it did. */
  readonly end: () => string | undefined;
  readonly lastOutput: () => string;
  readonly oversize: { told: (() => void) | undefined };
  readonly close: (client: Client) => Promise<void>;
};

function stdioLine(
  config: Extract<McpServerConfig['transport'], { kind: 'stdio' }>,
  { bounds, environment }: ConnectDependencies,
): Line {
  const stderr = new StderrTail(bounds.stderrBytesMax, Object.values(config.env));
  const oversize: Line['oversize'] = { told: undefined };
  const transport = new ChildProcessTransport({
    command: config.command,
    args: config.args,
    env: childEnvironment(environment, config.env),
    messageBytesMax: bounds.messageBytesMax,
    endGraceMs: bounds.endGraceMs,
    stderr,
    onOversize: () => oversize.told?.(),
  });
  return {
    transport,
    oversize,
    end: () => transport.end,
    lastOutput: () => stderr.lastLines(),
    close: () => transport.close(),
  };
}

function httpLine(config: Extract<McpServerConfig['transport'], { kind: 'http' }>, bounds: BridgeBounds): Line {
  const transport = new StreamableHTTPClientTransport(new URL(config.url), {
    fetch: createHttpFetch(bounds.messageBytesMax),
  });
  return {
    transport,
    oversize: { told: undefined },
    end: () => undefined,
    lastOutput: () => '',
    close: async (client) => {
      const limit = deadlineOf(bounds.sessionEndMs);
      try {
        await Promise.race([endHttpSession(transport), limit.passed]);
      } finally {
        limit.clear();
        await client.close();
        await transport.close();
      }
    },
  };
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

/** Keeps an eye on the list of tools, in the way of either protocol. */
function followToolChanges(client: Client, listeners: ConnectListeners, pauseMs: number, closing: () => boolean): void {
  client.setNotificationHandler('notifications/tools/list_changed', () => listeners.onToolsChanged());
  const declared = client.getServerCapabilities()?.tools?.listChanged === true;
  if (!declared || client.getProtocolEra() !== 'modern') return;
  const follow = async (): Promise<void> => {
    while (!closing()) {
      const subscription = await client.listen({ toolsListChanged: true });
      if ((await subscription.closed) === 'local' || closing()) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      // What changed while nobody listened is not told again, so the list is read anew.
      if (!closing()) listeners.onToolsChanged();
    }
  };
  follow().catch((error: unknown) => {
    if (!closing()) listeners.onError(new Error(`changes of its tools cannot be followed: ${reasonOf(error)}`));
  });
}

/** What went wrong, without what the server wrote: it may have repeated a caller's token. */
function withoutBody(error: Error): Error {
  const status = 'status' in error ? ` (HTTP ${error.status})` : '';
  const code = 'code' in error ? ` (${error.code})` : '';
  return new Error(`${error.name}${code}${status}`);
}

function withOutput(reason: string, line: Line): string {
  const output = line.lastOutput();
  return output === '' ? reason : `${reason}; its last output: ${output}`;
}

function deadlineOf(ms: number): { readonly passed: Promise<never>; readonly clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${Math.round(ms)} ms`)), ms);
  });
  passed.catch(() => undefined);
  return { passed, clear: () => clearTimeout(timer) };
}
