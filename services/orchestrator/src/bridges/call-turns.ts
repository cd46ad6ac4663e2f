// The calls that this process has at one tool server, in the order they came:
//
// 1. So many as the server is given at the same time run.
// 2. A few more may be ahead: they are begun, and put on the record, while those run, and wait in the bridge. So a server with short calls
//    does not wait for the log between two of them. `server-pace.ts` says when that is worth it.
// 3. The others wait here. They have not been started, and are not on the record as if they had.
import { aheadMax, ServerPace } from './server-pace.ts';

/** A place among the calls of one tool server. */
export type CallTurn = {
  /** Resolves when the call may be begun; undefined if it may already. Rejects when the signal aborts. */
  readonly come: Promise<void> | undefined;
  /** Resolves when no other call of this process is before it, or it has left; undefined if none is. */
  readonly alone: Promise<void> | undefined;
  /**
   * To be called when the call is over; again, it does nothing. `isMade`: whether its server was given it. How long it took says
   * something of the calls of that server, and nothing if it was not.
   */
  readonly leave: (isMade: boolean) => void;
};

const unlimited: CallTurn = { come: undefined, alone: undefined, leave: () => undefined };

/**
 * Lets this process send a tool server hardly more calls than it is given at the same time. Calls of other processes are not seen
 * here; they wait at the bridge.
 */
export class CallTurns {
  readonly #clock: () => number;
  readonly #aheadMax: number;
  readonly #lines = new Map<string, Line>();
  readonly #paces = new Map<string, ServerPace>();

  /** `clock`: milliseconds that only grow. `ahead`: see {@link aheadMax}. */
  constructor(clock: () => number, ahead = aheadMax) {
    this.#clock = clock;
    this.#aheadMax = ahead;
  }

  /** A place in the line of a server at a bridge. `atOnce`: how many may run; 0 is no limit. */
  take(bridge: string, server: string, atOnce: number, signal: AbortSignal): CallTurn {
    if (atOnce === 0) return unlimited;
    const name = JSON.stringify([bridge, server]);
    const line = this.#lines.get(name) ?? new Line(this.#clock, this.#paceOf(server), this.#aheadMax);
    this.#lines.set(name, line);
    const place = new Place();
    const leave = (isMade: boolean): void => {
      // Another call may have begun a line of its own under this name since.
      if (place.at === 'left') return;
      signal.removeEventListener('abort', giveUp);
      line.leave(place, isMade);
      if (line.isEmpty) this.#lines.delete(name);
    };
    const giveUp = (): void => {
      if (place.at !== 'waiting') return;
      leave(false);
      place.mayBegin.close(signal.reason);
    };
    line.enter(place, atOnce);
    const { at, mayBegin, alone } = place;
    if (signal.aborted) giveUp();
    else if (at === 'waiting') signal.addEventListener('abort', giveUp, { once: true });
    return {
      come: at === 'waiting' ? mayBegin.opened : undefined,
      alone: at === 'running' ? undefined : alone.opened,
      leave,
    };
  }

  #paceOf(server: string): ServerPace {
    const pace = this.#paces.get(server) ?? new ServerPace();
    this.#paces.set(server, pace);
    return pace;
  }
}

/** Where one call stands, and what is waited for. */
class Place {
  at: 'waiting' | 'ahead' | 'running' | 'left' = 'waiting';
  readonly mayBegin = new Latch();
  readonly alone = new Latch();
}

/** A promise, and what settles it. */
class Latch {
  open: () => void = () => undefined;
  close: (reason: unknown) => void = () => undefined;
  readonly opened = new Promise<void>((resolve, reject) => {
    this.open = resolve;
    this.close = reject;
  });
}

/** The calls of one server at one bridge. */
class Line {
  readonly #clock: () => number;
  readonly #pace: ServerPace;
  readonly #aheadMax: number;
  #atOnce = 0;
  /** Those that no other one is before, and since when. */
  readonly #running = new Map<Place, number>();
  readonly #ahead = new Set<Place>();
  readonly #waiting = new Set<Place>();

  constructor(clock: () => number, pace: ServerPace, aheadMax: number) {
    this.#clock = clock;
    this.#aheadMax = aheadMax;
    this.#pace = pace;
  }

  get isEmpty(): boolean {
    return this.#running.size + this.#ahead.size + this.#waiting.size === 0;
  }

  /** `atOnce`: as many may run now, and from now on. */
  enter(place: Place, atOnce: number): void {
    this.#atOnce = atOnce;
    this.#waiting.add(place);
    this.#admit();
  }

  leave(place: Place, isMade: boolean): void {
    const since = this.#running.get(place);
    if (isMade && since !== undefined) this.#pace.ended(this.#clock() - since);
    this.#running.delete(place);
    this.#ahead.delete(place);
    this.#waiting.delete(place);
    place.at = 'left';
    place.alone.open();
    this.#admit();
  }

  #admit(): void {
    const now = this.#clock();
    while (this.#running.size < this.#atOnce) {
      const [next] = this.#ahead.size > 0 ? this.#ahead : this.#waiting;
      if (next === undefined) return;
      this.#ahead.delete(next);
      this.#waiting.delete(next);
      this.#running.set(next, now);
      next.at = 'running';
      next.mayBegin.open();
      next.alone.open();
    }
    if (this.#ahead.size >= this.#aheadMax || this.#waiting.size === 0) return;
    const runningMs = [...this.#running.values()].map((since) => now - since);
    const room = this.#pace.ahead(runningMs, this.#aheadMax) - this.#ahead.size;
    for (const next of [...this.#waiting].slice(0, Math.max(0, room))) {
      this.#waiting.delete(next);
      this.#ahead.add(next);
      next.at = 'ahead';
      next.mayBegin.open();
    }
  }
}
