import { visibleText } from '@stopgo/core';
import { abortsWithin, type Logger, type McpServerConfig } from '@stopgo/runtime';
import { mayCarryToken } from '@stopgo/security';
import type { BridgeBounds } from '../bounds.ts';
import { withoutTokens } from '../credentials/bearer.ts';
import type { OwnCredentials } from '../credentials/credentials.ts';
import { isUnauthorized, reasonOf, sessionEnded } from '../failures.ts';
import type { KnownPlaces } from '../lines/address-rules.ts';
import type { JunkLines } from '../lines/junk-lines.ts';
import { type ConnectDependencies, type ConnectPlace, connect } from '../session/connect.ts';
import { PrincipalSessions } from '../session/principal-sessions.ts';
import type { Session } from '../session/session.ts';
import type { Pinnable } from '../tools/server-pins.ts';
import type { DefinedTool } from '../tools/tool-definitions.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { CallQueue } from './call-queue.ts';
import { LifeProbe } from './life-probe.ts';
import { openFailure } from './open-failure.ts';
import { type Happening, isConnected, nextState, retryAfter, type ServerState } from './server-state.ts';
import { StartProgress } from './start-progress.ts';
import { stateLine, tellDown } from './state-lines.ts';
import { ToolListing } from './tool-listing.ts';

/** A server as it can be used now. */
export type Ready = { readonly kind: 'ready'; readonly session: Session; readonly tools: readonly DefinedTool[] };
/** Why it cannot be used now, as a sentence that names it, and when it is tried again, if that is known. */
export type Down = { readonly kind: 'down'; readonly reason: string; readonly retryAfterMs: number | undefined };

/** The session that a call is to be made in, or why there is none. */
export type CallerSession =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'refused'; readonly reason: string };

/** What a connection needs besides its configuration. */
export type ServerConnectionDependencies = {
  readonly connect: ConnectDependencies;
  readonly bounds: BridgeBounds;
  readonly log: Logger;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  readonly random: () => number;
  /** The tools of the server have been listed; they may be others than before. */
  readonly onTools: () => void;
  /** Finds out what is accepted of the server, before it counts as connected. Absent: all that it offers. It is told all, also what is not used. */
  readonly meet?: (offered: readonly Pinnable[], signal: AbortSignal) => Promise<void>;
};

/**
 * One server over its whole life, as `server-state.ts` has it: what happens to the connection is put into the state, and what
 * the state asks for is done.
 */
export class ServerConnection {
  readonly config: McpServerConfig;
  /** The calls of this server: so many at once as the configuration says. */
  readonly queue: CallQueue;
  /** True if calls carry the caller's bearer token. */
  readonly forwardsBearer: boolean;
  /** True if they carry the token of the account that their user has connected. */
  readonly usesAccounts: boolean;
  readonly listing: ToolListing;
  readonly #dependencies: ServerConnectionDependencies;
  #state: ServerState = { kind: 'starting' };
  #stateSince: number;
  #lastError: { readonly reason: string; readonly at: number } | undefined;
  #session: Session | undefined;
  /** Sessions that were given up and are being ended: a frozen process takes its time. */
  readonly #closings = new Set<Promise<void>>();
  /** The last try to connect: what it started is ended before it settles. */
  #opening: Promise<void> | undefined;
  #progress: StartProgress | undefined;
  #junk: JunkLines | undefined;
  #opened = 0;
  #comingBack: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  readonly #life: LifeProbe;
  readonly #places: KnownPlaces = new Map();
  readonly #principals: PrincipalSessions;
  #credentials: OwnCredentials | undefined;
  readonly #stop = new AbortController();

  constructor(config: McpServerConfig, dependencies: ServerConnectionDependencies) {
    const { transport } = config;
    const { bounds, log, clock, onTools } = dependencies;
    this.config = config;
    this.#dependencies = dependencies;
    this.#stateSince = clock();
    this.queue = new CallQueue(config.callsAtOnce, bounds.callsQueuedMax);
    const forwards = transport.kind === 'http' && transport.auth === 'forward';
    this.usesAccounts = transport.kind === 'http' && transport.auth === 'oauth';
    this.forwardsBearer = forwards && (transport.forwardsInClear === true || mayCarryToken(transport.url));
    this.#principals = new PrincipalSessions({
      bounds,
      clock,
      open: (token) => this.#openFor(token),
      onError: (error) => log.debug(`MCP server "${config.name}": ${visibleText(reasonOf(error))}`),
    });
    this.#life = new LifeProbe(config, {
      bounds,
      happened: (session, happening) => this.happened(session, happening),
    });
    this.listing = new ToolListing(config, {
      bounds,
      log,
      clock,
      forwardsBearer: this.forwardsBearer,
      session: () => this.#session,
      onTools,
      onFailure: (session, reason) => this.happened(session, { type: 'lost', reason }),
    });
  }

  /** The tools as last listed; they stay while the server is down. */
  get tools(): readonly DefinedTool[] {
    return this.listing.tools;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** How long the server has been in its state, in milliseconds. */
  get stateMs(): number {
    return this.#dependencies.clock() - this.#stateSince;
  }

  /** Times that it was connected again after the first. */
  get reconnects(): number {
    return Math.max(0, this.#opened - 1);
  }

  /** Revision of the protocol that is spoken; undefined while there is no connection. */
  get protocolVersion(): string | undefined {
    return this.#session?.protocolVersion;
  }

  /** Which of the two protocols that is. */
  get protocolEra(): 'legacy' | 'modern' | undefined {
    return this.#session?.protocolEra;
  }

  /** What last went wrong with the server, and when; undefined if nothing has. */
  get lastError(): { readonly reason: string; readonly at: number } | undefined {
    return this.#lastError;
  }

  /** How far its start is, as words; undefined while none goes on. */
  get startProgress(): string | undefined {
    return this.#progress?.text;
  }

  /** What its process wrote beside messages, as a sentence; undefined if nothing. */
  get junkProblem(): string | undefined {
    return this.#junk?.problem;
  }

  /** Why the server cannot be used now; undefined if it can. */
  get down(): Down | undefined {
    if (this.#session !== undefined) return undefined;
    const retryAfterMs = retryAfter(this.#state, this.#dependencies.clock());
    return { kind: 'down', reason: stateLine(this.config.name, this.#state, this.startProgress), retryAfterMs };
  }

  /** Connects and lists. Throws with the reason if that fails; then nothing is left running. */
  async open(timeoutMs: number): Promise<void> {
    const { log, clock, bounds } = this.#dependencies;
    const progress = new StartProgress(this.config.name, timeoutMs, { log, clock, everyMs: bounds.startTellEveryMs });
    this.#progress = progress;
    const opening = this.#open(timeoutMs, progress).finally(() => {
      progress.end();
      this.#progress = undefined;
    });
    this.#opening = opening.catch(() => undefined);
    await opening;
  }

  async #open(timeoutMs: number, progress: StartProgress): Promise<void> {
    const { bounds, clock, log } = this.#dependencies;
    const started = clock();
    let changed = false;
    const session = await connect(
      this.config,
      this.#connectWith(),
      {
        onLine: (line) => {
          this.#junk = line.junk;
          progress.watch(line.lastLine);
        },
        onJunk: (first) =>
          log.warn(
            `MCP server "${this.config.name}" writes to its standard output what is no message of the protocol (more is only counted): ${first}`,
          ),
        onToolsChanged: () => {
          changed = true;
          this.listing.changed();
        },
        onError: (error) =>
          log.debug(`MCP server "${this.config.name}": ${visibleText(this.clean(error.message, undefined))}`),
      },
      { timeoutMs, signal: this.#stop.signal },
    );
    const giveUp = () => void session.close().catch(() => undefined);
    this.#stop.signal.addEventListener('abort', giveUp, { once: true });
    try {
      await this.listing.read(session, Math.max(1, Math.min(bounds.listMs, timeoutMs - (clock() - started))));
      await this.#dependencies.meet?.(this.listing.pinned, this.#stop.signal);
      if (this.#stop.signal.aborted) throw new Error('the bridge is stopping');
    } catch (error) {
      this.#dependencies.connect.eras.forget(this.config);
      await session.close().catch(() => undefined);
      throw error;
    } finally {
      this.#stop.signal.removeEventListener('abort', giveUp);
    }
    this.#session = session;
    this.#opened += 1;
    this.#enter({ type: 'opened' });
    void session.ended.then((reason) => this.happened(session, { type: 'lost', reason }));
    this.#life.start(session);
    // A change told while the first list was on its way found no session to list it from.
    if (changed) this.listing.changed();
  }

  /** To be called when the first connection failed and the agent goes on without this server: it is tried again. */
  openLater(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#enter(openFailure(this.config, error));
    tellDown(this.config.name, this.#state, 'absent', this.#dependencies.log);
    this.#comingBack = this.#comeBack();
  }

  /**
   * The server with an up-to-date list of tools, or why it cannot be used. It is not waited for once the signal aborts:
   * then the list may be an old one, and no call must follow. `freshMs`: how old the list of a server may be that does not
   * tell its changes; absent: as old as it may be at all.
   */
  async current(signal: AbortSignal, freshMs?: number): Promise<Ready | Down> {
    this.listing.refreshIfStale(freshMs);
    if (this.#life.check !== undefined || this.listing.reading !== undefined) {
      const known = async () => {
        await this.#life.check;
        // A change that was told during a reading has it read once more.
        while (this.listing.reading !== undefined) await this.listing.reading;
      };
      await unlessAborted(known(), signal);
    }
    const session = this.#session;
    if (session !== undefined) return { kind: 'ready', session, tools: this.tools };
    return this.down ?? { kind: 'down', reason: '', retryAfterMs: undefined };
  }

  /**
   * As {@link current}, but waits for a server that is starting or may be back soon: up to `ms` milliseconds, or until the signal
   * aborts. One that ends again and again, or is refused, is not waited for.
   */
  async waitFor(ms: number, signal: AbortSignal): Promise<Ready | Down> {
    const { kind } = this.#state;
    const soon = kind === 'backoff' ? this.#comingBack : kind === 'starting' ? this.#opening : undefined;
    if (soon !== undefined && !signal.aborted)
      await unlessAborted(soon, abortsWithin(Math.max(0, Math.ceil(ms)), signal));
    return this.current(signal);
  }

  /**
   * The session for a call with this token: one of its caller's own where the server keeps something in sessions, else the
   * given one, which all share.
   */
  async sessionFor(shared: Session, token: string | undefined): Promise<CallerSession> {
    if (token === undefined || !shared.keepsState()) return { kind: 'session', session: shared };
    try {
      const session = await this.#principals.of(token);
      if (session !== undefined) return { kind: 'session', session };
      const { principalsMax } = this.#dependencies.bounds;
      return {
        kind: 'refused',
        reason: `the server "${this.config.name}" has ${principalsMax} callers at once; try again later`,
      };
    } catch (error) {
      if (isUnauthorized(error)) return { kind: 'unauthenticated' };
      return { kind: 'refused', reason: `the server "${this.config.name}" is down: ${reasonOf(error)}` };
    }
  }

  /** The text without credentials of ours, and without the caller's token. */
  clean(text: string, token: string | undefined): string {
    return withoutTokens(this.#credentials?.clean(text) ?? text, token);
  }

  /** To be called when the server answered 401 to a call. */
  unauthenticated(): void {
    if (this.#credentials !== undefined)
      this.#dependencies.log.warn(
        `MCP server "${this.config.name}" refuses the credentials that it is configured with`,
      );
  }

  /** To be called with what a call showed of a session: it is dead, was forgotten, or the call took too long. */
  happened(session: Session, happening: Happening): void {
    if (happening.type !== 'doubted' && this.#principals.drop(session)) return;
    if (this.#session !== session || this.#stop.signal.aborted) return;
    const before = this.#state;
    this.#enter(happening);
    if (isConnected(this.#state)) {
      if (before.kind === 'ready' && this.#state.kind === 'degraded') this.#life.ask(session);
      return;
    }
    const { log } = this.#dependencies;
    this.#session = undefined;
    this.#life.stop();
    tellDown(this.config.name, this.#state, 'lost', log);
    const closing: Promise<void> = session
      .close()
      .catch((error: unknown) => log.warn(`MCP server "${this.config.name}": ${reasonOf(error)}`))
      .finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
    this.#comingBack = this.#comeBack();
  }

  /** Gives a session up that the server has forgotten, and waits for another. */
  async renew(session: Session, signal: AbortSignal): Promise<Ready | Down> {
    if (this.#principals.drop(session)) return this.current(signal);
    this.happened(session, { type: 'forgot', reason: sessionEnded });
    return this.waitFor(this.#dependencies.bounds.reconnectMs, signal);
  }

  /** Ends everything; throws if something could not be ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#life.stop();
    const session = this.#session;
    this.#session = undefined;
    this.#enter({ type: 'stopped' });
    this.#wake?.();
    await Promise.all([session?.close(), this.#principals.closeAll(), ...this.#closings]);
    await Promise.all([this.#opening, this.#comingBack]);
  }

  #connectWith(token?: string): ConnectDependencies & ConnectPlace {
    const { connect: dependencies } = this.#dependencies;
    this.#credentials ??= dependencies.credentialsFor?.(this.config);
    return { ...dependencies, places: this.#places, credentials: this.#credentials, token };
  }

  /** The tools are those of the connection that all share: what this one says of them counts for nothing. */
  #openFor(token: string): Promise<Session> {
    const { bounds, log } = this.#dependencies;
    const onError = (error: Error) =>
      log.debug(`MCP server "${this.config.name}": ${visibleText(this.clean(error.message, token))}`);
    const listeners = { onToolsChanged: () => undefined, onError };
    const limits = { timeoutMs: bounds.reconnectMs, signal: this.#stop.signal };
    return connect(this.config, this.#connectWith(token), listeners, limits);
  }

  #enter(happening: Happening): void {
    const { bounds, clock, random } = this.#dependencies;
    const before = this.#state;
    const now = clock();
    this.#state = nextState(before, happening, { now, random: random() }, bounds);
    if (this.#state.kind !== before.kind) this.#stateSince = now;
    if ('reason' in happening) this.#lastError = { reason: happening.reason, at: now };
  }

  /** Tries again after each pause that the state asks for, until the server is back or the bridge ends. */
  async #comeBack(): Promise<void> {
    const { bounds, clock, log } = this.#dependencies;
    const { name, transport, startTimeoutMs } = this.config;
    for (;;) {
      await this.#pause(retryAfter(this.#state, clock()) ?? 0);
      if (this.#stop.signal.aborted) return;
      try {
        await this.open(startTimeoutMs ?? (transport.kind === 'stdio' ? bounds.stdioStartMs : bounds.reconnectMs));
        log.info(`MCP server "${name}" is back`, { tools: this.tools.length });
        return;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#enter(openFailure(this.config, error));
        tellDown(name, this.#state, 'not_back', log);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
