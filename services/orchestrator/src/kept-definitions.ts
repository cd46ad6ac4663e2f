/** Definitions that are kept in memory at most, and the characters of JSON that they may have together. */
const keptMax = 64;
const charactersMax = 8 * 1024 * 1024;

/** Definitions of one kind by digest. Those that were used last are kept, as far as they fit; the latest is, whatever its size. */
export class KeptDefinitions<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly characters: number }>();
  readonly #max: { readonly count: number; readonly characters: number };
  #characters = 0;

  constructor(max = { count: keptMax, characters: charactersMax }) {
    this.#max = max;
  }

  get(digest: string): T | undefined {
    const known = this.#kept.get(digest);
    if (known === undefined) return undefined;
    this.#kept.delete(digest);
    this.#kept.set(digest, known);
    return known.value;
  }

  /** `characters`: of its JSON. */
  keep(digest: string, value: T, characters: number): T {
    this.#forget(digest);
    this.#kept.set(digest, { value, characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      const fits = this.#kept.size <= this.#max.count && this.#characters <= this.#max.characters;
      if (fits || oldest === digest) break;
      this.#forget(oldest);
    }
    return value;
  }

  #forget(digest: string): void {
    this.#characters -= this.#kept.get(digest)?.characters ?? 0;
    this.#kept.delete(digest);
  }
}
