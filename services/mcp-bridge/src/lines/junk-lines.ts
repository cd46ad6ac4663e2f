/** What a process writes to its standard output beside messages of the protocol: told once, and then counted. */
export class JunkLines {
  readonly #shown: (line: string) => string;
  readonly #onFirst: (first: string) => void;
  #first = '';
  #count = 0;

  /** `shown` makes of a line what may be logged and kept of it; `onFirst` is told the first one. */
  constructor(shown: (line: string) => string = () => '', onFirst: (first: string) => void = () => undefined) {
    this.#shown = shown;
    this.#onFirst = onFirst;
  }

  add(line: string): void {
    this.#count += 1;
    if (this.#count > 1) return;
    this.#first = this.#shown(line);
    this.#onFirst(this.#first);
  }

  /** As a sentence; undefined if there is none. */
  get problem(): string | undefined {
    if (this.#count === 0) return undefined;
    const lines =
      this.#count === 1
        ? 'a line to its standard output that belongs on its error output, as it is no message of the protocol'
        : `${this.#count} lines to its standard output that belong on its error output, as they are no messages of the protocol; the first`;
    return `it wrote ${lines}: ${this.#first}`;
  }
}
