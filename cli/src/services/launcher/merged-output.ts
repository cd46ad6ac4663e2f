import type { Readable, Writable } from 'node:stream';
import type { LogFormat, Redactor } from '@stopgo/runtime';
import { lineCharactersMax } from '../bounds.ts';

export type MergedOutputOptions = {
  readonly format: LogFormat;
  readonly redactor: Redactor;
  /** The clock, for lines that become JSON here. */
  readonly now: () => Date;
};

/** Passes on what many processes print, whole line by whole line, each with the name of who printed it, without secrets. */
export class MergedOutput {
  readonly #options: MergedOutputOptions;
  readonly #waiting = new Map<Writable, Set<Readable>>();

  constructor(options: MergedOutputOptions) {
    this.#options = options;
  }

  /** Writes one line; gives false if the destination would rather wait. */
  line(name: string, text: string, to: Writable): boolean {
    const shown = this.#options.format === 'json' ? this.#json(name, text) : `[${name}] ${text}`;
    return to.write(`${this.#options.redactor.redact(shown)}\n`) || to.destroyed || !to.writable;
  }

  /**
   * Reads a stream to its end, line by line, no faster than the destination takes it. A last line without an end and a line
   * longer than `lineCharactersMax` are passed on as they are. `onLine` may keep a line to itself by giving undefined.
   */
  follow(name: string, from: Readable, to: Writable, onLine = (line: string): string | undefined => line): void {
    let rest = '';
    const pass = (raw: string): boolean => {
      const line = onLine(raw.endsWith('\r') ? raw.slice(0, -1) : raw);
      return line === undefined || this.line(name, line, to);
    };
    from.setEncoding('utf8');
    from.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      while (rest.length > lineCharactersMax) {
        lines.push(rest.slice(0, lineCharactersMax));
        rest = rest.slice(lineCharactersMax);
      }
      let mayGoOn = true;
      for (const line of lines) mayGoOn = pass(line) && mayGoOn;
      if (!mayGoOn) this.#wait(from, to);
    });
    from.on('end', () => {
      if (rest !== '') pass(rest);
    });
    // A process that was killed takes its end of the pipe with it.
    from.on('error', () => undefined);
  }

  #wait(from: Readable, to: Writable): void {
    from.pause();
    const known = this.#waiting.get(to);
    if (known !== undefined) return void known.add(from);
    const waiting = new Set([from]);
    this.#waiting.set(to, waiting);
    const goOn = (): void => {
      to.off('drain', goOn);
      // Whoever read our output may have gone; what is printed from now on is read all the same, or its writer would stand still.
      to.off('close', goOn);
      this.#waiting.delete(to);
      for (const one of waiting) one.resume();
    };
    to.once('drain', goOn);
    to.once('close', goOn);
  }

  #json(name: string, text: string): string {
    if (isJsonObject(text)) {
      const body = text.trimEnd().slice(0, -1).trimEnd();
      return `${body}${body.endsWith('{') ? '' : ','}"service":${JSON.stringify(name)}}`;
    }
    return JSON.stringify({ level: 'info', time: this.#options.now().toISOString(), msg: text, service: name });
  }
}

function isJsonObject(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
