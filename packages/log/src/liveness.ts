/** What bridges to tool servers are in their heartbeats. */
export const bridgeRole = 'mcp-bridge';

/** An instance as its last heartbeat described it. */
export type Peer = {
  readonly instance: string;
  /** What it is: "orchestrator", {@link bridgeRole}, … */
  readonly role: string;
  /** Where it can be called, `host:port`; empty if it cannot (yet). */
  readonly address: string;
  readonly counter: number;
};

const lifeMark = '~';

/** The id that a process has in its n-th life: it takes the next one whenever it may have been taken for dead. */
export function idInLife(process: string, life: number): string {
  return life === 0 ? process : `${process}${lifeMark}${life}`;
}

/** The id that a process began with, from any of its ids. */
export function processOf(instance: string): string {
  const mark = instance.indexOf(lifeMark);
  return mark === -1 ? instance : instance.slice(0, mark);
}

/** Who is alive, as this process can tell. */
export type Liveness = {
  /** How long an instance that is not heard of is still taken for alive, in milliseconds. */
  readonly ttlMs: number;
  /** True if the instance is known to have ended, or has not been heard of for its whole time to live. */
  isDead(instance: string): boolean;
  /** The instances of a role that are not known to be dead or to have left. While the store is away: those known last. */
  alive(role: string): readonly Peer[];
  /**
   * True if this process may begin a call that must not run twice: its last confirmed renewal is young enough, and nobody can still
   * take it for dead for a time when it was not heard of.
   */
  isFresh(): boolean;
  /** Resolves when the next renewal is confirmed. Rejects when the signal aborts. */
  renewed(signal: AbortSignal): Promise<void>;
  /** Resolves once the instance is dead. Rejects when the signal aborts. */
  died(instance: string, signal: AbortSignal): Promise<void>;
};

/**
 * How a process stands with those who watch its heartbeat. One that may have been taken for dead under its id must not act
 * under that id any more: what it was asked to do may have been judged, decided by a human and done by others meanwhile. It
 * goes on under a new id, so that being taken for dead is always true in the end.
 */
export type Standing = {
  /** The id of this process now. */
  readonly instance: string;
  /** True if it is, or was, an id of this process. */
  hasBeen(instance: string): boolean;
  /**
   * True at a moment at which nobody can have taken this process for dead under that id, nor will for some time: what is
   * asked of that id may be done at once. Waits for a renewal if the last one is too old to tell, at most about a time to
   * live. False: never to be done under that id. Rejects when the signal aborts.
   */
  mayAct(instance: string, signal: AbortSignal): Promise<boolean>;
  /** Resolves when this process does not go by that id, or not any more. Rejects when the signal aborts. */
  renamed(instance: string, signal: AbortSignal): Promise<void>;
  /**
   * The id of this process, once nobody judges it any more by what was known before it had that id: more than a time to live after
   * the first renewal under it, and not before a renewal that is young enough to act. Rejects when the signal aborts.
   */
  settled(signal: AbortSignal): Promise<string>;
};

/** The standing of a process that nobody watches. */
export function unwatched(instance: string): Standing {
  const isMe = (other: string): boolean => other === instance;
  const aborted = (signal: AbortSignal): Promise<void> =>
    new Promise((_, reject) => {
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  return {
    instance,
    hasBeen: isMe,
    mayAct: (other) => Promise.resolve(isMe(other)),
    renamed: (other, signal) => (isMe(other) ? aborted(signal) : Promise.resolve()),
    settled: () => Promise.resolve(instance),
  };
}
