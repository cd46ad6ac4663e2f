/** A map that forgets what was used least lately, so that it never outgrows its bounds. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly bytes: number }>();
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bounds: { readonly entriesMax: number; readonly bytesMax?: number }) {
    this.#entriesMax = bounds.entriesMax;
    this.#bytesMax = bounds.bytesMax ?? Number.POSITIVE_INFINITY;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value; `bytes` is what it counts for. The entry just set is kept even if it alone exceeds the bound. */
  set(key: K, value: V, bytes = 0): void {
    this.delete(key);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    while ((this.#entries.size > this.#entriesMax || this.#bytes > this.#bytesMax) && this.#entries.size > 1) {
      const oldest = this.#entries.keys().next();
      if (oldest.done === true) return;
      this.delete(oldest.value);
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
