const newline = 0x0a;

/** Cuts a byte stream into lines of UTF-8, holding at most one line of bounded length. */
export class LineReader {
  readonly #bytesMax: number;
  readonly #onLine: (line: string) => void;
  readonly #onOversize: () => void;
  #parts: Buffer[] = [];
  #held = 0;
  #skipping = false;

  /** A line longer than `bytesMax` is skipped as a whole and told to `onOversize` once. */
  constructor(bytesMax: number, onLine: (line: string) => void, onOversize: () => void) {
    this.#bytesMax = bytesMax;
    this.#onLine = onLine;
    this.#onOversize = onOversize;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      this.#take(rest.subarray(0, end));
      this.#finish();
      rest = rest.subarray(end + 1);
    }
    this.#take(rest);
  }

  #take(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    this.#held += part.length;
    if (this.#held <= this.#bytesMax) {
      this.#parts.push(part);
      return;
    }
    this.#skipping = true;
    this.#parts = [];
  }

  #finish(): void {
    const skipped = this.#skipping;
    const line = skipped ? '' : Buffer.concat(this.#parts).toString('utf8').trim();
    this.#parts = [];
    this.#held = 0;
    this.#skipping = false;
    if (skipped) this.#onOversize();
    else if (line !== '') this.#onLine(line);
  }
}
