/** Ids of one JavaScript set. One throws beyond 2^24 entries, and stops everything for long when a large one grows. */
const idsPerSetMax = 2 ** 20;

/** A set of ids that only grows, for as long as there is memory: it is made of several, each of bounded size. */
export class IdSet {
  readonly #idsPerSetMax: number;
  readonly #sets: Set<string>[] = [];

  /** `perSetMax`: ids of each inner set. */
  constructor(perSetMax: number = idsPerSetMax) {
    this.#idsPerSetMax = perSetMax;
  }

  has(id: string): boolean {
    return this.#sets.some((set) => set.has(id));
  }

  add(id: string): void {
    if (this.has(id)) return;
    const last = this.#sets.at(-1);
    if (last !== undefined && last.size < this.#idsPerSetMax) last.add(id);
    else this.#sets.push(new Set([id]));
  }
}
