import { invalidArgument } from '@stopgo/core';
import type { views } from '@stopgo/proto';
import { instancesMax, instanceTextCharactersMax, instanceWaitsMax } from './bounds.ts';
import { type Beat, type Heard, type InstanceBoard, postedOf, waitsIn } from './instance-board.ts';

/** Throws `invalid_argument` for a heartbeat that says too much. */
export function checkBeat({ instance, role, address, waits = [] }: Beat): void {
  for (const text of [instance, role, address])
    if (text.length > instanceTextCharactersMax)
      throw invalidArgument(`an instance's id, role and address have at most ${instanceTextCharactersMax} characters`);
  const isLong = ({ conversationId, runId, name, reason }: (typeof waits)[number]) =>
    [conversationId, runId, name, reason].some((text) => text.length > instanceTextCharactersMax);
  if (waits.length > instanceWaitsMax || waits.some(isLong))
    throw invalidArgument(
      `a heartbeat tells of at most ${instanceWaitsMax} waits, in texts of at most ${instanceTextCharactersMax} characters`,
    );
}

/** The heartbeats in the memory of the one process that keeps the log. */
export class Instances implements InstanceBoard {
  readonly complete: boolean;
  readonly #known = new Map<string, Heard>();
  readonly #now: () => number;

  /** `now`: a clock that only goes forward, in milliseconds. */
  constructor(complete: boolean, now: () => number) {
    this.complete = complete;
    this.#now = now;
  }

  async beat({ leaving, ...beat }: Beat & { readonly leaving: boolean }) {
    if (beat.instance !== '') this.#note(beat, leaving);
    return [...this.#known.values()].map(({ posted }) => posted);
  }

  waits(): readonly views.RunWait[] {
    return waitsIn(this.#known.values(), this.#now());
  }

  #note(beat: Beat, leaving: boolean): void {
    checkBeat(beat);
    const { instance } = beat;
    // Set anew, so that the order is that of the renewals and the first is the one most surely dead.
    this.#known.delete(instance);
    if (leaving && this.complete) return;
    this.#known.set(instance, { posted: postedOf(beat, leaving), at: this.#now() });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > instancesMax) this.#known.delete(oldest);
  }
}
