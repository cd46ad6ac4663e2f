import type { KvWatchEntry } from '@nats-io/kv';
import { fromBinary, store, type views } from '@stopgo/proto';
import { instancesMax } from '../../bounds.ts';
import { type Heard, type Posted, postedOf, waitsIn } from '../../instance-board.ts';
import { beatKeptMs } from './bounds.ts';

/** The entries of a bucket as the server delivers them: an ordered iterator that can be stopped. */
export type BucketEntries = AsyncIterable<KvWatchEntry> & { stop(): void };

/** Keys below this are heartbeats. */
export const beatKeys = 'beats';

/** What one watch of the bucket has seen, from its beginning on, in the order of the bucket. */
export class BucketWatch {
  readonly #entries: BucketEntries;
  readonly #now: () => number;
  readonly #known = new Map<string, Heard>();
  readonly #waiting = new Set<() => void>();
  #seen = 0;
  #ended = false;

  /** `now`: a clock that only goes forward, in milliseconds. */
  constructor(entries: BucketEntries, now: () => number) {
    this.#entries = entries;
    this.#now = now;
    void this.#follow();
  }

  /** Revision of the last entry that was delivered; 0: none yet. */
  get seen(): number {
    return this.#seen;
  }

  /** Resolves once an entry has been delivered: true; false if that takes too long or the watch has ended. */
  reached(revision: number, msMax: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isReached: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(isReached);
      };
      const look = () => {
        if (this.#seen >= revision) settle(true);
        else if (this.#ended) settle(false);
      };
      const timer = setTimeout(() => settle(false), msMax);
      this.#waiting.add(look);
      look();
    });
  }

  /** All that was posted and is not too old, in the order of the renewals. */
  posted(): Posted[] {
    const oldest = this.#now() - beatKeptMs;
    for (const [instance, { at }] of this.#known) {
      if (at >= oldest) break;
      this.#known.delete(instance);
    }
    return [...this.#known.values()].map(({ posted }) => posted);
  }

  /** What runs wait for by what was posted lately. */
  waits(): readonly views.RunWait[] {
    return this.#ended ? [] : waitsIn(this.#known.values(), this.#now());
  }

  stop(): void {
    this.#entries.stop();
    this.#end();
  }

  async #follow(): Promise<void> {
    try {
      for await (const entry of this.#entries) this.#see(entry);
    } catch {
      // The next heartbeat finds out, and begins anew.
    }
    this.#end();
  }

  #see({ key, operation, value, revision }: KvWatchEntry): void {
    this.#seen = revision;
    const posted = operation === 'PUT' && key.startsWith(`${beatKeys}.`) ? postedIn(value) : undefined;
    if (posted !== undefined) this.#note(posted);
    for (const look of [...this.#waiting]) look();
  }

  #note(posted: Posted): void {
    // Set anew, so that the order is that of the renewals.
    this.#known.delete(posted.instance);
    this.#known.set(posted.instance, { posted, at: this.#now() });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > instancesMax) this.#known.delete(oldest);
  }

  #end(): void {
    this.#ended = true;
    for (const look of [...this.#waiting]) look();
  }
}

/** Undefined for what is none of ours. */
function postedIn(value: Uint8Array): Posted | undefined {
  try {
    const said = fromBinary(store.InstanceSchema, value);
    return said.instance === '' ? undefined : postedOf(said, said.left);
  } catch {
    return undefined;
  }
}
