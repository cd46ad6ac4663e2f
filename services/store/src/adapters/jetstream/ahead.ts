import { aheadAppendsMax, aheadBytesMax } from '../../bounds.ts';
import type { KnownFacts } from '../sqlite-views/rebuild.ts';
import type { LoggedAppend } from './batch-message.ts';
import type { Message } from './leader.ts';

/** What came for a sequence, or for a sequence and those after it. */
export type Arrived =
  | { readonly kind: 'message'; readonly message: Message }
  /** The log acknowledged it to this replica. */
  | { readonly kind: 'own'; readonly append: LoggedAppend; readonly known: KnownFacts }
  /** The log has lost the messages up to this one. */
  | { readonly kind: 'lost'; readonly upTo: number };

/** Some that follow each other. */
export type Stretch = { readonly first: number; readonly last: number; readonly arrived: readonly Arrived[] };

/** What came ahead of its turn, or is not on disk yet, up to a bound. */
export class Ahead {
  readonly #arrived = new Map<number, Arrived>();
  #bytes = 0;

  get full(): boolean {
    return this.#arrived.size >= aheadAppendsMax || this.#bytes >= aheadBytesMax;
  }

  has(sequence: number): boolean {
    return this.#arrived.has(sequence);
  }

  /** The first to come for a sequence stays. */
  add(sequence: number, arrived: Arrived): void {
    if (this.#arrived.has(sequence)) return;
    this.#arrived.set(sequence, arrived);
    this.#bytes += bytesOf(arrived);
  }

  /** Those from a sequence on, without a gap; at least one if the first is there. */
  from(first: number, most: { readonly arrived: number; readonly bytes: number }): Stretch {
    const arrived: Arrived[] = [];
    let bytes = 0;
    let last = first - 1;
    while (arrived.length < most.arrived) {
      const next = this.#arrived.get(last + 1);
      if (next === undefined) break;
      bytes += bytesOf(next);
      if (arrived.length > 0 && bytes > most.bytes) break;
      arrived.push(next);
      last = lastOf(next, last + 1);
    }
    return { first, last, arrived };
  }

  clear(): void {
    this.#arrived.clear();
    this.#bytes = 0;
  }

  /** Those from a sequence up to another. */
  drop(first: number, last: number): void {
    let sequence = first;
    while (sequence <= last) {
      const one = this.#arrived.get(sequence);
      if (one === undefined) return;
      this.#arrived.delete(sequence);
      this.#bytes -= bytesOf(one);
      sequence = lastOf(one, sequence) + 1;
    }
  }
}

/** The last sequence that something stands for which came for a sequence. */
export const lastOf = (arrived: Arrived, sequence: number): number =>
  arrived.kind === 'lost' ? arrived.upTo : sequence;

function bytesOf(arrived: Arrived): number {
  switch (arrived.kind) {
    case 'message':
      return arrived.message.data.byteLength;
    case 'own':
      return arrived.append.bytes;
    case 'lost':
      return 0;
  }
}
