import { visibleText } from '@stopgo/core';
import { type SecretFilter, secretFilter, secretMark } from '@stopgo/security';

/** Last lines of error output that an error text repeats beside the first that names an error; and how many characters of each. */
const linesShown = 3;
const lineCharactersMax = 300;
/** Values of the configuration's environment from this length on are taken out of what is shown. */
const secretCharactersMin = 6;
const newline = 0x0a;
const lineEnd = /\r?\n/u;
/** What tells most in a long trace: `Error: …`, `SomeError [CODE]: …`, `ModuleNotFoundError: …`, `error: …`, `panic: …`. */
const namesError = /\b(?:\w*(?:Error|Exception)|error|fatal|panic)\b[^:]{0,80}:/u;

/** The end of a server's error output, in bounded memory. */
export class StderrTail {
  readonly #bytesMax: number;
  readonly #secrets: readonly string[];
  readonly #filter: SecretFilter;
  #kept: Buffer = Buffer.alloc(0);
  /** What is kept begins within a line. It is not shown up to its end: half of a secret would not be recognised. */
  #beginsWithin = false;

  /** `secrets`: values that a server was given and may print; they are never shown. */
  constructor(bytesMax: number, secrets: readonly string[]) {
    this.#bytesMax = bytesMax;
    // A secret of several lines may have lost its first ones, so that each line is one by itself.
    this.#secrets = secrets
      .flatMap((value) => [value, ...value.split(lineEnd)])
      .filter((value) => value.length >= secretCharactersMin)
      // The longest first: one may contain another, and is to be hidden whole.
      .sort((one, other) => other.length - one.length);
    this.#filter = secretFilter(this.#secrets, { charactersMin: secretCharactersMin });
  }

  push(chunk: Buffer): void {
    const whole = Buffer.concat([this.#kept, chunk]);
    const cut = Math.max(0, whole.length - this.#bytesMax);
    if (cut > 0) this.#beginsWithin = whole[cut - 1] !== newline;
    // A copy: a slice would keep all of a large chunk alive.
    this.#kept = Buffer.from(whole.subarray(cut));
  }

  /** The first line that names an error, and the last ones, on one line, control characters visible; empty if there are none. */
  lastLines(): string {
    const lines = this.#lines();
    const last = lines.slice(-linesShown);
    const telling = lines.slice(0, -linesShown).find((line) => namesError.test(line));
    const shown = telling === undefined || last.some((line) => namesError.test(line)) ? last : [telling, ...last];
    return shown.map(shownLine).join(' | ');
  }

  /** The last line, control characters visible; empty if there is none. */
  lastLine(): string {
    return shownLine(this.#lines().at(-1) ?? '');
  }

  /** The beginning of one line that the server wrote elsewhere, without secrets, control characters visible. */
  shown(line: string): string {
    return shownLine(this.#withoutBeginning(this.#filter.hide(line)));
  }

  /** All that is kept, without secrets. */
  text(): string {
    return this.#withoutBeginning(this.#filter.hide(this.#wholeLines().toString('utf8')));
  }

  #lines(): string[] {
    return this.text()
      .split(lineEnd)
      .filter((line) => line.trim() !== '');
  }

  /** The text without what a secret begins with at its end: the rest of it may be on its way. */
  #withoutBeginning(text: string): string {
    for (const secret of this.#secrets)
      for (let length = Math.min(secret.length - 1, text.length); length >= secretCharactersMin; length -= 1)
        if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}${secretMark}`;
    return text;
  }

  #wholeLines(): Buffer {
    if (!this.#beginsWithin) return this.#kept;
    const end = this.#kept.indexOf(newline);
    return this.#kept.subarray(end === -1 ? this.#kept.length : end + 1);
  }
}

function shownLine(line: string): string {
  return visibleText(line.slice(0, lineCharactersMax)).replaceAll('\t', ' ');
}
