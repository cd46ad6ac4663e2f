const newline = 0x0a;

/** Bytes that are kept of each end of a line that is skipped. */
const endBytes = 256;

/** How a line that was skipped began and ended. */
export type LineEnds = { readonly head: string; readonly tail: string };

/** Cuts a byte stream into lines of UTF-8, holding at most one line of bounded length. */
export class LineReader {
  readonly #bytesMax: number;
  readonly #onLine: (line: string) => void;
  readonly #onOversize: (ends: LineEnds) => void;
  #parts: Buffer[] = [];
  #held = 0;
  #skipping = false;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);

  /** A line longer than `bytesMax` is skipped as a whole and told to `onOversize` once. */
  constructor(bytesMax: number, onLine: (line: string) => void, onOversize: (ends: LineEnds) => void) {
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
    if (part.length === 0) return;
    if (this.#skipping) {
      this.#tail = lastBytes([this.#tail, part]);
      return;
    }
    this.#held += part.length;
    if (this.#held <= this.#bytesMax) {
      this.#parts.push(part);
      return;
    }
    this.#skipping = true;
    this.#head = Buffer.from(Buffer.concat([...this.#parts, part]).subarray(0, endBytes));
    this.#tail = lastBytes([...this.#parts, part]);
    this.#parts = [];
  }

  #finish(): void {
    const skipped = this.#skipping;
    const line = skipped ? '' : Buffer.concat(this.#parts).toString('utf8').trim();
    this.#parts = [];
    this.#held = 0;
    this.#skipping = false;
    if (skipped) this.#onOversize({ head: this.#head.toString('latin1'), tail: this.#tail.toString('latin1') });
    else if (line !== '') this.#onLine(line);
  }
}

function lastBytes(parts: readonly Buffer[]): Buffer {
  const whole = Buffer.concat(parts);
  // A copy: a slice would keep all of it alive.
  return Buffer.from(whole.subarray(Math.max(0, whole.length - endBytes)));
}
