const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
/** White space of JSON, and the byte order mark that readers of UTF-8 skip. */
const BEFORE_JSON: ReadonlySet<number> = new Set([0x20, 0x09, LINE_FEED, CARRIAGE_RETURN, 0xef, 0xbb, 0xbf]);

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
  /** The line that is being read is empty so far. */
  #isEmptyLine = false;
  #isAfterReturn = false;
  #perEvent: boolean;
  /** Nothing but white space has come so far. */
  #isBeforeText = true;

  /**
   * @param perEvent - true: counts the values of the server-sent event that is being read only. A blank line ends an event, and not
   *   the end of a line does: the `data:` lines of an event are put together before they are parsed. What begins as JSON does is
   *   counted as a whole all the same, whatever its sender calls it: a reader that expects JSON would parse all of it at once.
   */
  constructor(perEvent = false) {
    this.#perEvent = perEvent;
  }

  /** Takes the next bytes; the most values that were counted at any time in them. */
  add(bytes: Uint8Array): number {
    let most = this.#values;
    if (this.#isBeforeText) this.#begin(bytes);
    for (const byte of bytes) {
      // A carriage return with a line feed after it is one end of a line.
      const isSameEnd = byte === LINE_FEED && this.#isAfterReturn;
      this.#isAfterReturn = byte === CARRIAGE_RETURN;
      if (isSameEnd) continue;
      const isEmptyLine = this.#isEmptyLine;
      this.#isEmptyLine = byte === LINE_FEED || byte === CARRIAGE_RETURN;
      if (this.#isEmptyLine) {
        this.#inString = false;
        this.#isEscaped = false;
        if (this.#perEvent && isEmptyLine) this.#values = 1;
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

  /** Looks at the first byte of the text: no event begins with a bracket. */
  #begin(bytes: Uint8Array): void {
    const first = bytes.find((byte) => !BEFORE_JSON.has(byte));
    if (first === undefined) return;
    this.#isBeforeText = false;
    if (first === OPEN_LIST || first === OPEN_OBJECT) this.#perEvent = false;
  }
}

/** The values of a JSON text in UTF-8, counted as {@link JsonValueCounter} counts them. */
export const jsonValuesIn = (bytes: Uint8Array): number => new JsonValueCounter().add(bytes);
