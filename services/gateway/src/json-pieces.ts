import { type Answer, jsonText, RawJson } from './json-text.ts';

/** JSON text that is made while it is sent: it never stands in memory as a whole. */
export class JsonPieces {
  readonly pieces: AsyncIterable<string>;

  /** The pieces, put together, are one JSON value. They are read once. */
  constructor(pieces: AsyncIterable<string>) {
    this.pieces = pieces;
  }

  /** A list, from the JSON text of each of its items. */
  static list<T>(items: AsyncIterable<T>, textOf: (item: T) => Iterable<string> | AsyncIterable<string>): JsonPieces {
    return new JsonPieces(listPieces(items, textOf));
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

/** The JSON text of an answer in pieces, its members in the order in which they stand. */
export async function* jsonPieces(value: LongAnswer): AsyncGenerator<string, void> {
  if (value instanceof JsonPieces) {
    yield* value.pieces;
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
    yield `${before}${JSON.stringify(key)}:`;
    yield* jsonPieces(shown);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

async function* listPieces<T>(
  items: AsyncIterable<T>,
  textOf: (item: T) => Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void> {
  let before = '[';
  for await (const item of items) {
    yield before;
    yield* textOf(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

const hasMembers = (
  value: Exclude<LongAnswer, JsonPieces>,
): value is { readonly [key: string]: LongAnswer | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson);
