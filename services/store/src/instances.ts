import { invalidArgument } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import { instancesMax, instanceTextCharactersMax } from './bounds.ts';

type Beat = Pick<store.Instance, 'instance' | 'role' | 'address' | 'counter'>;

/**
 * The heartbeats of all processes, as they said them last. It judges nobody: an observer tells by its own clock whose
 * counter stands still.
 */
export class Instances {
  readonly #known = new Map<string, Beat>();

  /** Takes note of a heartbeat (one without an instance only asks) and gives all. */
  beat({ leaving, ...beat }: Beat & { readonly leaving: boolean }): readonly Beat[] {
    if (beat.instance !== '') this.#note(beat, leaving);
    return [...this.#known.values()];
  }

  #note({ instance, role, address, counter }: Beat, leaving: boolean): void {
    for (const text of [instance, role, address])
      if (text.length > instanceTextCharactersMax)
        throw invalidArgument(
          `an instance's id, role and address have at most ${instanceTextCharactersMax} characters`,
        );
    // Set anew, so that the order is that of the renewals and the first is the one most surely dead.
    this.#known.delete(instance);
    if (leaving) return;
    this.#known.set(instance, { instance, role, address, counter });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > instancesMax) this.#known.delete(oldest);
  }
}
