import { answerPieceCharacters } from './bounds.ts';
import { type Answer, jsonText, RawJson } from './json-text.ts';

/** JSON text that is made while it is sent: it never stands in memory as a whole. */
export class JsonPieces {
  readonly pieces: AsyncIterable<string>;

  /** The pieces, put together, are one JSON value. They are read once. */
  constructor(pieces: AsyncIterable<string>) {
    this.pieces = pieces;
  }

  /** A list, from the JSON text of each of its items, which come some at a time. */
  static list<T>(some: AsyncIterable<readonly T[]>, textOf: (item: T) => string | AsyncIterable<string>): JsonPieces {
    return new JsonPieces(listPieces(some, textOf));
  }
}

/**
 * An answer that may be too long to be held. A function is asked for its value when its turn comes, so that it can tell
 * what only the members before it brought to light.
 */
export type LongAnswer =
  | Answer
  | JsonPieces
  | (() => Answer | undefined)
  | { readonly [key: string]: LongAnswer | undefined };

/**
 * The JSON text of an answer in pieces, its members in the order in which they stand. What is at hand is put together: to hand over a
 * piece costs more than to make one.
 */
export async function* jsonPieces(value: LongAnswer): AsyncGenerator<string, void> {
  let held = '';
  for (const part of partsOf(value)) {
    if (typeof part === 'string') {
      held += part;
      continue;
    }
    for await (const piece of part.pieces) {
      held += piece;
      if (held.length < answerPieceCharacters) continue;
      yield held;
      held = '';
    }
  }
  if (held !== '') yield held;
}

/** What an answer is made of: text that is at hand, and what is to be read first. */
function* partsOf(value: LongAnswer): Generator<string | JsonPieces, void> {
  if (value instanceof JsonPieces) {
    yield value;
    return;
  }
  if (!hasMembers(value)) {
    yield jsonText(typeof value === 'function' ? (value() ?? null) : value);
    return;
  }
  let before = '{';
  for (const [key, member] of Object.entries(value)) {
    const shown = typeof member === 'function' ? member() : member;
    if (shown === undefined) continue;
    const name = `${before}${JSON.stringify(key)}:`;
    before = ',';
    if (shown instanceof JsonPieces || hasMembers(shown)) {
      yield name;
      yield* partsOf(shown);
    } else {
      yield name + jsonText(shown);
    }
  }
  yield before === '{' ? '{}' : '}';
}

async function* listPieces<T>(
  some: AsyncIterable<readonly T[]>,
  textOf: (item: T) => string | AsyncIterable<string>,
): AsyncGenerator<string, void> {
  let before = '[';
  for await (const items of some) {
    for (const item of items) {
      const text = textOf(item);
      if (typeof text === 'string') {
        yield before + text;
      } else {
        yield before;
        yield* text;
      }
      before = ',';
    }
  }
  yield before === '[' ? '[]' : ']';
}

const hasMembers = (
  value: Exclude<LongAnswer, JsonPieces>,
): value is { readonly [key: string]: LongAnswer | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson);
