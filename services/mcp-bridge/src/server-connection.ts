import { ProtocolError } from '@modelcontextprotocol/client';
import { visibleText } from '@stopgo/core';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import { Backoff } from './backoff.ts';
import type { BridgeBounds } from './bounds.ts';
import { CallQueue } from './call-queue.ts';
import { type ConnectDependencies, connect } from './connect.ts';
import { reasonOf } from './failures.ts';
import { mayCarryToken } from './http-fetch.ts';
import type { Session } from './session.ts';
import { type DefinedTool, defineTools } from './tool-definitions.ts';
import { unlessAborted } from './unless-aborted.ts';

/** A server as it can be used now. */
export type Ready = { readonly kind: 'ready'; readonly session: Session; readonly tools: readonly DefinedTool[] };
/** Why it cannot be used now, as a sentence that names it. */
export type Down = { readonly kind: 'down'; readonly reason: string };

/** What a connection needs besides its configuration. */
export type ServerConnectionDependencies = {
  readonly connect: ConnectDependencies;
  readonly bounds: BridgeBounds;
  readonly log: Logger;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  readonly random: () => number;
  /** The tools of the server are others than before. */
  readonly onTools: () => void;
};

/**
 * One server over its whole life: first connection, lost connections with growing pauses between the attempts to get
 * them back, the list of its tools read anew after each and after each change, the end.
 */
export class ServerConnection {
  readonly config: McpServerConfig;
  /** The calls of this server, one at a time. */
  readonly queue: CallQueue;
  /** True if calls carry the caller's bearer token. */
  readonly forwardsBearer: boolean;
  readonly #dependencies: ServerConnectionDependencies;
  readonly #backoff: Backoff;
  #session: Session | undefined;
  #upSince = 0;
  #downReason: string;
  #tools: readonly DefinedTool[] = [];
  #refresh: Promise<void> | undefined;
  #refreshAgain = false;
  /** The list is to be read again once the call that is under way is over. */
  #refreshLater = false;
  #reconnecting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #listedAt = 0;
  #check: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(config: McpServerConfig, dependencies: ServerConnectionDependencies) {
    const { transport } = config;
    this.config = config;
    this.#dependencies = dependencies;
    this.queue = new CallQueue(dependencies.bounds.callsQueuedMax);
    this.#backoff = new Backoff(dependencies.bounds, dependencies.random);
    this.#downReason = `the server "${config.name}" has not been started`;
    this.forwardsBearer = transport.kind === 'http' && transport.auth === 'forward' && mayCarryToken(transport.url);
  }

  /** The tools as last listed; they stay while the server is down. */
  get tools(): readonly DefinedTool[] {
    return this.#tools;
  }

  /** Why the server cannot be used now; undefined if it can. */
  get downReason(): string | undefined {
    return this.#session === undefined ? this.#downReason : undefined;
  }

  /** Connects and lists. Throws with the reason if that fails; then nothing is left running. */
  async open(timeoutMs: number): Promise<void> {
    const { bounds, clock, log } = this.#dependencies;
    const started = clock();
    let changed = false;
    const session = await connect(
      this.config,
      this.#dependencies.connect,
      {
        onToolsChanged: () => {
          changed = true;
          this.#toolsChanged();
        },
        onError: (error) => log.debug(`MCP server "${this.config.name}": ${visibleText(error.message)}`),
      },
      { timeoutMs, signal: this.#stop.signal },
    );
    const giveUp = () => void session.close().catch(() => undefined);
    this.#stop.signal.addEventListener('abort', giveUp, { once: true });
    try {
      await this.#list(session, Math.max(1, Math.min(bounds.listMs, timeoutMs - (clock() - started))));
      if (this.#stop.signal.aborted) throw new Error('the bridge is stopping');
    } catch (error) {
      this.#dependencies.connect.eras.forget(this.config);
      await session.close().catch(() => undefined);
      throw error;
    } finally {
      this.#stop.signal.removeEventListener('abort', giveUp);
    }
    this.#session = session;
    this.#upSince = clock();
    void session.ended.then((reason) => this.lost(session, reason));
    // A change told while the first list was on its way found no session to list it from.
    if (changed) this.#toolsChanged();
  }

  /**
   * The server with an up-to-date list of tools, or why it cannot be used. It is not waited for once the signal aborts:
   * then the list may be an old one, and no call must follow.
   */
  async current(signal: AbortSignal): Promise<Ready | Down> {
    this.refreshIfStale();
    if (this.#check !== undefined || this.#refresh !== undefined) {
      const known = async () => {
        await this.#check;
        await this.#refresh;
      };
      await unlessAborted(known(), signal);
    }
    const session = this.#session;
    return session === undefined
      ? { kind: 'down', reason: this.#downReason }
      : { kind: 'ready', session, tools: this.#tools };
  }

  /** Starts to read the list again if it has changed, or if it is old and nobody would have told a change. */
  refreshIfStale(): void {
    const { bounds, clock } = this.#dependencies;
    const session = this.#session;
    if (session === undefined) return;
    const isOld = !session.followsChanges() && clock() - this.#listedAt >= bounds.listFreshMs;
    if (this.#refreshLater || isOld) this.#toolsChanged();
  }

  /** As {@link current}, but waits for a server that is down: up to `ms` milliseconds, or until the signal aborts. */
  async comeBack(ms: number, signal: AbortSignal): Promise<Ready | Down> {
    if (this.#session === undefined && this.#reconnecting !== undefined && !signal.aborted) {
      let enough: () => void = () => undefined;
      const late = new Promise<void>((resolve) => {
        enough = resolve;
      });
      const timer = setTimeout(enough, ms);
      await unlessAborted(Promise.race([this.#reconnecting, late]), signal);
      clearTimeout(timer);
    }
    return this.current(signal);
  }

  /**
   * To be called when a call timed out: a process that does not even answer a ping would let every further call wait for
   * nothing. Calls wait until that is known. HTTP servers are not asked: each request there stands for itself.
   */
  suspect(session: Session): void {
    if (this.#session !== session || this.config.transport.kind !== 'stdio') return;
    const { pingMs } = this.#dependencies.bounds;
    this.#check = session.ping(pingMs).catch((error: unknown) => {
      // An error of its own is a sign of life.
      if (!(error instanceof ProtocolError)) this.lost(session, `it does not answer within ${pingMs} ms`);
    });
  }

  /** To be called when a session turned out to be dead: it is given up, and another is made after a pause. */
  lost(session: Session, reason: string): void {
    if (this.#session !== session || this.#stop.signal.aborted) return;
    const { log, clock } = this.#dependencies;
    this.#session = undefined;
    this.#down(`the server "${this.config.name}" is down: ${reason}`);
    log.warn(`MCP server "${this.config.name}" lost: ${visibleText(reason)}`);
    session.close().catch((error: unknown) => log.warn(`MCP server "${this.config.name}": ${reasonOf(error)}`));
    this.#reconnecting = this.#reconnect(this.#backoff.next(clock() - this.#upSince));
  }

  /** Gives a session up that the server has forgotten, and makes another at once. */
  async renew(session: Session, signal: AbortSignal): Promise<Ready | Down> {
    this.lost(session, 'it has ended the session');
    this.#wake?.();
    return this.comeBack(this.#dependencies.bounds.reconnectMs, signal);
  }

  /** Ends everything; throws if something could not be ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const session = this.#session;
    this.#session = undefined;
    this.#down(`the server "${this.config.name}" is stopped`);
    this.#wake?.();
    await session?.close();
    await this.#reconnecting;
  }

  async #reconnect(firstPauseMs: number): Promise<void> {
    const { bounds, log } = this.#dependencies;
    const { name } = this.config;
    for (let pauseMs = firstPauseMs; !this.#stop.signal.aborted; pauseMs = this.#backoff.next(0)) {
      await this.#pause(pauseMs);
      if (this.#stop.signal.aborted) return;
      const limitMs = this.config.transport.kind === 'stdio' ? bounds.stdioStartMs : bounds.reconnectMs;
      try {
        await this.open(limitMs);
        log.info(`MCP server "${name}" is back`, { tools: this.#tools.length });
        return;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#down(`the server "${name}" is down: ${reasonOf(error)}`);
        log.warn(`MCP server "${name}" is not back yet: ${visibleText(reasonOf(error))}`);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#timer = setTimeout(resolve, ms);
    });
    clearTimeout(this.#timer);
    this.#wake = undefined;
  }

  #down(reason: string): void {
    this.#downReason = reason;
  }

  /**
   * The server says that its list changed: calls wait until it has been read again. Not while one is under way: a server
   * that does one thing at a time would be taken for dead, and its call with it.
   */
  #toolsChanged(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#refreshLater = session.isCalling();
    if (this.#refreshLater) return;
    if (this.#refresh !== undefined) {
      this.#refreshAgain = true;
      return;
    }
    this.#refresh = this.#refreshTools(session).finally(() => {
      this.#refresh = undefined;
    });
  }

  async #refreshTools(session: Session): Promise<void> {
    try {
      do {
        this.#refreshAgain = false;
        await this.#list(session, this.#dependencies.bounds.listMs);
      } while (this.#refreshAgain);
    } catch (error) {
      // Its tools are not known any more, so none of them may run.
      this.lost(session, `its tools could not be listed: ${reasonOf(error)}`);
    }
  }

  async #list(session: Session, timeoutMs: number): Promise<void> {
    const { bounds, log, clock, onTools } = this.#dependencies;
    const { name, unannotated, approvalRequired, approvalTools = [] } = this.config;
    const { definitions, problems: unreadable } = await session.listTools(timeoutMs);
    const { forwardsBearer } = this;
    const place = { server: name, unannotated, approvalRequired, approvalTools, forwardsBearer };
    const { tools, problems } = defineTools(definitions, place, bounds);
    for (const problem of [...unreadable, ...problems]) log.warn(`MCP server "${name}": ${problem}`);
    this.#tools = tools;
    this.#listedAt = clock();
    onTools();
  }
}
