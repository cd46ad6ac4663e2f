// Servers of the older protocol tie what they keep to a session. Callers who bring their own token therefore never share one:
//
// 1. A session is opened with the token of its caller, and each of its requests carries that token.
// 2. It is known by a digest of the token; the token itself is nowhere but in the requests.
// 3. There is a bounded number of them. One that nobody uses is closed after a while, or when another caller needs its place.
import { sha256Hex } from '@stopgo/core';
import type { BridgeBounds } from '../bounds.ts';
import type { Session } from './session.ts';

type Entry = {
  readonly opening: Promise<Session>;
  session?: Session;
  usedAt: number;
  idle?: NodeJS.Timeout;
};

/** What they need. */
export type PrincipalDependencies = {
  readonly bounds: Pick<BridgeBounds, 'principalsMax' | 'principalIdleMs' | 'reconnectMs'>;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  /** Opens a session all of whose requests carry the token. */
  readonly open: (token: string) => Promise<Session>;
  /** Is told why one could not be closed. */
  readonly onError: (error: unknown) => void;
};

/** The sessions that the callers of one server have of their own. */
export class PrincipalSessions {
  readonly #dependencies: PrincipalDependencies;
  /** By digest of the token, the one that was used longest ago first. */
  readonly #entries = new Map<string, Entry>();
  readonly #closings = new Set<Promise<void>>();

  constructor(dependencies: PrincipalDependencies) {
    this.#dependencies = dependencies;
  }

  /** The session of this caller; undefined if there are too many callers at once. Throws what opening it throws. */
  async of(token: string): Promise<Session | undefined> {
    const { clock, open } = this.#dependencies;
    const key = sha256Hex(token);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      if (!this.#makeRoom()) return undefined;
      entry = { opening: open(token), usedAt: clock() };
      this.#watch(key, entry);
    }
    entry.usedAt = clock();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#closeWhenIdle(key, entry);
    return entry.opening;
  }

  /** Closes a session, if it is one of these: whether it was. */
  drop(session: Session): boolean {
    for (const [key, entry] of this.#entries)
      if (entry.session === session) {
        this.#close(key, entry);
        return true;
      }
    return false;
  }

  /** Closes all, those too that are being opened or closed; settles when they are closed. */
  async closeAll(): Promise<void> {
    for (const [key, entry] of this.#entries) this.#close(key, entry);
    await Promise.all(this.#closings);
  }

  #watch(key: string, entry: Entry): void {
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#close(key, entry);
    };
    entry.opening.then((session) => {
      entry.session = session;
      void session.ended.then(forget);
    }, forget);
  }

  #makeRoom(): boolean {
    const { bounds, clock } = this.#dependencies;
    if (this.#entries.size < bounds.principalsMax) return true;
    for (const [key, entry] of this.#entries) {
      // One that was asked for a moment ago is about to be used.
      const isAboutTo = clock() - entry.usedAt < bounds.reconnectMs;
      if (entry.session === undefined || isAboutTo || entry.session.callsUnderWay() > 0) continue;
      this.#close(key, entry);
      return true;
    }
    return false;
  }

  #closeWhenIdle(key: string, entry: Entry): void {
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => {
      if ((entry.session?.callsUnderWay() ?? 1) > 0) this.#closeWhenIdle(key, entry);
      else this.#close(key, entry);
    }, this.#dependencies.bounds.principalIdleMs).unref();
  }

  #close(key: string, entry: Entry): void {
    this.#entries.delete(key);
    clearTimeout(entry.idle);
    const { onError } = this.#dependencies;
    // What could not be opened has been told to whoever wanted it.
    const closing: Promise<void> = entry.opening
      .then(
        (session) => session.close().catch(onError),
        () => undefined,
      )
      .finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
  }
}
