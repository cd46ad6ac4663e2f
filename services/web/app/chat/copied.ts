/** A list or map that grows, and is copied for those who look at it: once for any number of changes. */
export class Copied<Growing extends Seen, Seen> {
  readonly now: Growing;
  readonly #copyOf: (growing: Growing) => Seen;
  #copy: Seen;
  #isChanged = false;

  constructor(empty: Growing, copyOf: (growing: Growing) => Seen) {
    this.now = empty;
    this.#copyOf = copyOf;
    this.#copy = copyOf(empty);
  }

  /** What is to be changed. */
  change(): Growing {
    this.#isChanged = true;
    return this.now;
  }

  /** How it stands now: the same object as long as nothing changes. */
  copy(): Seen {
    if (this.#isChanged) this.#copy = this.#copyOf(this.now);
    this.#isChanged = false;
    return this.#copy;
  }
}
