const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/**
 * Counts the values of JSON in UTF-8 without parsing it, chunk by chunk: what is small in bytes may hold millions of values, and
 * parsing and walking those holds up everybody else. Counted are the commas and opening brackets outside of strings, and one: never
 * less than the values that `JSON.parse` would make of the text, and at most one more for each list or object.
 *
 * What is no JSON is counted as well as can be; a line break ends a string, which cannot hold one.
 */
export class JsonValueCounter {
  #values = 1;
  #inString = false;
  #isEscaped = false;
  readonly #perLine: boolean;

  /** @param perLine - true: counts the values of the line that is being read only, as in a stream of events with JSON in each line. */
  constructor(perLine = false) {
    this.#perLine = perLine;
  }

  /** Takes the next bytes; the most values that were counted at any time in them. */
  add(bytes: Uint8Array): number {
    let most = this.#values;
    for (const byte of bytes) {
      if (byte === LINE_FEED) {
        this.#inString = false;
        this.#isEscaped = false;
        if (this.#perLine) this.#values = 1;
      } else if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
        this.#values += 1;
        if (this.#values > most) most = this.#values;
      }
    }
    return most;
  }
}

/** The values of a JSON text in UTF-8, counted as {@link JsonValueCounter} counts them. */
export const jsonValuesIn = (bytes: Uint8Array): number => new JsonValueCounter().add(bytes);
