/** A place among the calls of one tool server. */
export type CallTurn = {
  /** Resolves when the turn has come; undefined if it has already. Rejects when the signal aborts. */
  readonly come: Promise<void> | undefined;
  /** To be called when the call is over or will not be made; again, it does nothing. */
  readonly leave: () => void;
};

type Line = { taken: number; readonly waiting: Set<() => void> };

const unlimited: CallTurn = { come: undefined, leave: () => undefined };

/**
 * Lets this process send a tool server no more calls than it is given at the same time: what waits for its turn has not been
 * started, and is not put on the record as if it had. Calls of other processes are not seen here; they wait at the bridge.
 */
export class CallTurns {
  readonly #lines = new Map<string, Line>();

  /** A place in the line of that name. `atOnce`: how many may have their turn; 0 is no limit. */
  take(name: string, atOnce: number, signal: AbortSignal): CallTurn {
    if (atOnce === 0) return unlimited;
    const line = this.#lines.get(name) ?? { taken: 0, waiting: new Set() };
    this.#lines.set(name, line);
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      line.taken -= 1;
      const [next] = line.waiting;
      if (next !== undefined) next();
      else if (line.taken === 0) this.#lines.delete(name);
    };
    if (line.taken < atOnce) {
      line.taken += 1;
      return { come: undefined, leave };
    }
    let hasTurn = false;
    const come = new Promise<void>((resolve, reject) => {
      const turn = (): void => {
        line.waiting.delete(turn);
        signal.removeEventListener('abort', giveUp);
        line.taken += 1;
        hasTurn = true;
        resolve();
      };
      const giveUp = (): void => {
        line.waiting.delete(turn);
        reject(signal.reason);
      };
      line.waiting.add(turn);
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
    return { come, leave: () => hasTurn && leave() };
  }
}
