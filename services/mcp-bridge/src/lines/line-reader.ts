import type { RequestId } from '@modelcontextprotocol/client';
import { JsonValueCounter } from '@stopgo/core';
import type { BridgeBounds } from '../bounds.ts';

const newline = 0x0a;

/** Bytes that are kept of each end of a line that is skipped. */
const endBytes = 256;

/** Room that is kept for the next line, in bytes. */
const keptBytes = 64 * 1_024;

/** How a line that was skipped began and ended. */
export type LineEnds = { readonly head: string; readonly tail: string };

/** A line that was skipped, and what it has more of than allowed: `100 bytes` or `100 JSON values`. */
export type SkippedLine = LineEnds & { readonly excess: string };

/** What one line may hold. */
export type LineBounds = Pick<BridgeBounds, 'messageBytesMax' | 'messageValuesMax'>;

/** Cuts a byte stream into lines of UTF-8, holding at most one line of bounded length. */
export class LineReader {
  readonly #bounds: LineBounds;
  readonly #onLine: (line: string) => void;
  readonly #onOversize: (line: SkippedLine) => void;
  /** The line so far is its first `#held` bytes. One buffer that grows: many small pieces would take far more than they hold. */
  #line: Buffer = Buffer.alloc(0);
  #held = 0;
  #values = new JsonValueCounter();
  /** What the line that is being skipped has too much of. */
  #excess: string | undefined;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);

  /** A line beyond the bounds is skipped as a whole and told to `onOversize` once. */
  constructor(bounds: LineBounds, onLine: (line: string) => void, onOversize: (line: SkippedLine) => void) {
    this.#bounds = bounds;
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
    if (this.#excess !== undefined) {
      this.#tail = lastBytes([this.#tail, part]);
      return;
    }
    const held = this.#held + part.length;
    const excess = this.#excessOf(held, part);
    if (excess === undefined) {
      if (held > this.#line.length) this.#line = grown(this.#line, this.#held, held);
      part.copy(this.#line, this.#held);
      this.#held = held;
      return;
    }
    const before = this.#line.subarray(0, this.#held);
    this.#excess = excess;
    this.#head = Buffer.concat([before.subarray(0, endBytes), part.subarray(0, endBytes)]).subarray(0, endBytes);
    this.#tail = lastBytes([before, part]);
    this.#forget();
  }

  #excessOf(bytes: number, part: Buffer): string | undefined {
    const { messageBytesMax, messageValuesMax } = this.#bounds;
    if (bytes > messageBytesMax) return `${messageBytesMax} bytes`;
    return this.#values.add(part) > messageValuesMax ? `${messageValuesMax} JSON values` : undefined;
  }

  #forget(): void {
    this.#held = 0;
    if (this.#line.length > keptBytes) this.#line = Buffer.alloc(0);
  }

  #finish(): void {
    const excess = this.#excess;
    const line = excess !== undefined ? '' : this.#line.toString('utf8', 0, this.#held).trim();
    this.#forget();
    this.#excess = undefined;
    this.#values = new JsonValueCounter();
    if (excess !== undefined)
      this.#onOversize({ head: this.#head.toString('latin1'), tail: this.#tail.toString('latin1'), excess });
    else if (line !== '') this.#onLine(line);
  }
}

/** The same bytes with room for so many, and for as many again as there are, so that each is copied a few times only. */
function grown(line: Buffer, held: number, wanted: number): Buffer {
  const room = Buffer.allocUnsafe(Math.max(wanted, 2 * line.length));
  line.copy(room, 0, 0, held);
  return room;
}

function lastBytes(parts: readonly Buffer[]): Buffer {
  const whole = Buffer.concat(parts);
  // A copy: a slice would keep all of it alive.
  return Buffer.from(whole.subarray(Math.max(0, whole.length - endBytes)));
}

/** How JSON-RPC answers begin or end, where the id is not in the middle of them. */
const atStart = /^\{(?:"jsonrpc":\s?"2\.0",\s?)?"id":\s?(\d+),/u;
const atEnd = /,\s?"id":\s?(\d+)(?:,\s?"jsonrpc":\s?"2\.0")?\}\s*$/u;

/** The id of an answer that was too large to be kept, if how it began and ended shows it. */
export function idOfSkipped({ head, tail }: LineEnds): RequestId | undefined {
  const id = atStart.exec(head)?.[1] ?? atEnd.exec(tail)?.[1];
  return id === undefined ? undefined : Number(id);
}
