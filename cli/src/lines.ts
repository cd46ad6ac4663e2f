import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as pause, setImmediate as polled } from 'node:timers/promises';
import { counted, oneLine } from './shown.ts';

/** What a human, or a script, says line by line. */
export type Lines = {
  /** False for a script: nobody reads what is shown before the next line is taken. */
  readonly isTerminal: boolean;
  /** False where a human types who does not see the standard output: whoever is asked there has not read what is asked. */
  readonly isSeen: boolean;
  /** Aborts when the human leaves (Ctrl-C, Ctrl-D). The end of a script's lines is no such wish. */
  readonly left: AbortSignal;
  /** The next line; undefined if there is none any more. On a terminal it may have been typed before the prompt was shown. */
  next(prompt: string): Promise<string | undefined>;
  /**
   * The same, but on a terminal no character that was typed before this was called, or in the 0.3 s after it, is a part of the line:
   * it cannot be an answer to what was shown just before. The prompt is shown when that time is over; whole lines that came before are
   * said not to be taken.
   */
  nextFromNow(prompt: string): Promise<string | undefined>;
  close(): void;
};

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>;

/** Nobody reads a question and answers it in less time, in milliseconds. */
const readMs = 300;

/**
 * Reads the lines of the standard input. Whoever types at a terminal is a human, wherever the output goes: prompts are written to the
 * standard error then, if that is what the human sees. Typing shows only while a prompt stands.
 *
 * @param read resolves when a human can have read what is shown.
 */
export function linesOf(streams: Streams, read: () => Promise<unknown> = () => pause(readMs)): Lines {
  return streams.stdin.isTTY === true ? typedLines(streams, read) : scriptLines(streams);
}

function scriptLines({ stdin, stdout }: Streams): Lines {
  const said = new Said();
  const input = createInterface({ input: stdin, terminal: false });
  input.on('line', (line) => said.add(line));
  input.on('close', () => said.end());
  const next = async (prompt: string): Promise<string | undefined> => {
    const line = await said.next();
    // Who reads what a script has done sees what it said.
    if (line !== undefined) stdout.write(`${prompt}${oneLine(line)}\n`);
    return line;
  };
  const left = new AbortController().signal;
  return { isTerminal: false, isSeen: true, left, next, nextFromNow: next, close: () => input.close() };
}

function typedLines({ stdin, stdout, stderr }: Streams, read: () => Promise<unknown>): Lines {
  const isSeen = stdout.isTTY === true;
  const terminal = isSeen ? stdout : stderr;
  const said = new Said();
  const left = new AbortController();
  const echo = new Echo(terminal);
  const input = createInterface({ input: stdin, output: echo, terminal: true });
  let isTaking = false;
  input.on('line', (line) => {
    echo.isOn = false;
    if (!isTaking) said.add(line);
  });
  input.on('SIGINT', () => input.close());
  // Ctrl-D edits a line that has begun. Nobody sees one where nothing is shown, and means to leave.
  const onKey = (_: unknown, { ctrl, name }: { readonly ctrl?: boolean; readonly name?: string }): void => {
    if (!echo.isOn && ctrl === true && name === 'd') input.close();
  };
  stdin.on('keypress', onKey);
  input.on('close', () => {
    stdin.off('keypress', onKey);
    if (echo.isOn) terminal.write('\n');
    echo.close();
    // What stands on the last line was never entered.
    said.clear();
    said.end();
    left.abort();
  });
  /** Takes away what is half typed, and lets readline forget on which rows it stood: it would clear them, and what is there now. */
  const takeBegun = (): string => {
    const { line } = input;
    isTaking = true;
    // Readline takes an 'enter' right after a 'return' for the same line break: alone it may be one after a human's, and passed over,
    // and without it a human's is one after ours.
    for (const name of ['return', 'enter']) input.write(null, { name });
    isTaking = false;
    return line;
  };
  const next = async (prompt: string): Promise<string | undefined> => {
    const ahead = said.take();
    if (ahead !== undefined) terminal.write(`${prompt}${oneLine(ahead)}\n`);
    if (ahead !== undefined || left.signal.aborted) return ahead;
    const begun = takeBegun();
    echo.isOn = true;
    input.setPrompt(prompt);
    input.prompt();
    if (begun !== '') input.write(begun);
    return said.next();
  };
  const nextFromNow = async (prompt: string): Promise<string | undefined> => {
    if (left.signal.aborted) return undefined;
    await read();
    // What was typed while this process was busy is read now, and not before.
    await polled();
    if (left.signal.aborted) return undefined;
    const dropped = said.clear();
    takeBegun();
    if (dropped > 0) terminal.write(`(not taken, for it was typed before the question: ${counted(dropped, 'line')})\n`);
    return next(prompt);
  };
  return { isTerminal: true, isSeen, left: left.signal, next, nextFromNow, close: () => input.close() };
}

/** What is typed, as the terminal shows it: nothing unless it is on. */
class Echo extends Writable {
  isOn = false;
  readonly #terminal: NodeJS.WriteStream;
  readonly #resized = (): void => void this.emit('resize');

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    terminal.on('resize', this.#resized);
  }

  /** Readline asks how many there are. */
  get columns(): number {
    return this.#terminal.columns;
  }

  override _write(text: string, _: BufferEncoding, done: () => void): void {
    if (this.isOn) this.#terminal.write(text);
    done();
  }

  close(): void {
    this.isOn = false;
    this.#terminal.off('resize', this.#resized);
  }
}

/** Lines in the order in which they were said, until there are no more. */
class Said {
  readonly #lines: string[] = [];
  #isOver = false;
  #wake = (): void => undefined;

  add(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Gives how many there were. */
  clear(): number {
    return this.#lines.splice(0).length;
  }

  /** The next one, if it is there. */
  take(): string | undefined {
    return this.#lines.shift();
  }

  /** The next one, once it is there; undefined if none comes any more. */
  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.take();
  }
}
