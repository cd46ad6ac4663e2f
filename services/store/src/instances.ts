import { invalidArgument } from '@stopgo/core';
import { instancesMax, instanceTextCharactersMax } from './bounds.ts';
import type { Beat, InstanceBoard, Posted } from './instance-board.ts';

/** Throws `invalid_argument` for a heartbeat that says too much. */
export function checkBeat({ instance, role, address }: Beat): void {
  for (const text of [instance, role, address])
    if (text.length > instanceTextCharactersMax)
      throw invalidArgument(`an instance's id, role and address have at most ${instanceTextCharactersMax} characters`);
}

/** The heartbeats in the memory of the one process that keeps the log. */
export class Instances implements InstanceBoard {
  readonly complete: boolean;
  readonly #known = new Map<string, Posted>();

  constructor(complete: boolean) {
    this.complete = complete;
  }

  async beat({ leaving, ...beat }: Beat & { readonly leaving: boolean }) {
    if (beat.instance !== '') this.#note(beat, leaving);
    return [...this.#known.values()];
  }

  #note(beat: Beat, leaving: boolean): void {
    checkBeat(beat);
    const { instance, role, address, counter } = beat;
    // Set anew, so that the order is that of the renewals and the first is the one most surely dead.
    this.#known.delete(instance);
    if (leaving && this.complete) return;
    this.#known.set(instance, { instance, role, address, counter, left: leaving });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > instancesMax) this.#known.delete(oldest);
  }
}
