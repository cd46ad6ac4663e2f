import { visibleText } from '@stopgo/core';

/** Lines of error output that an error text repeats, and how many characters of each. */
const linesShown = 3;
const lineCharactersMax = 300;
/** Values of the configuration's environment from this length on are taken out of what is shown. */
const secretCharactersMin = 6;

/** The end of a server's error output, in bounded memory. */
export class StderrTail {
  readonly #bytesMax: number;
  readonly #secrets: readonly string[];
  #kept: Buffer = Buffer.alloc(0);

  /** `secrets`: values that a server was given and may print; they are never shown. */
  constructor(bytesMax: number, secrets: readonly string[]) {
    this.#bytesMax = bytesMax;
    this.#secrets = secrets.filter((value) => value.length >= secretCharactersMin);
  }

  push(chunk: Buffer): void {
    const whole = Buffer.concat([this.#kept, chunk]);
    // A copy: a slice would keep all of a large chunk alive.
    this.#kept = Buffer.from(whole.subarray(Math.max(0, whole.length - this.#bytesMax)));
  }

  /** The last lines on one line, control characters visible; empty if there are none. */
  lastLines(): string {
    let text = this.#kept.toString('utf8');
    for (const secret of this.#secrets) text = text.replaceAll(secret, '[secret]');
    const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== '');
    return lines
      .slice(-linesShown)
      .map((line) => visibleText(line.slice(0, lineCharactersMax)).replaceAll('\t', ' '))
      .join(' | ');
  }
}
