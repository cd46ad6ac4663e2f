// JSON whose numbers stay as they are written. An approval shows what will be sent, digit by digit, and JavaScript would round
// 12345678901234567890, or write 1.0 as 1, without a word.

const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number that JavaScript would write in another way. */
export class ExactNumber {
  readonly text: string;

  /** @throws RangeError if the text is no number of JSON. */
  constructor(text: string) {
    if (!isNumber.test(text)) throw new RangeError('the text is no number as JSON writes one');
    this.text = text;
  }
}

export type ExactValue =
  | string
  | number
  | boolean
  | null
  | ExactNumber
  | readonly ExactValue[]
  | { readonly [key: string]: ExactValue };

/** Stands before a number that is kept as a text. Nobody else knows it, so that no text of theirs is taken for a number. */
const mark = `number:${[...crypto.getRandomValues(new Uint32Array(4))].map((one) => one.toString(36)).join('')}:`;
const marked = new RegExp(`"${mark}([^"]*)"`, 'g');
const tokens = /"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Reads JSON text. @throws SyntaxError for what is none. */
export function parseExact(text: string): unknown {
  const kept = text.replace(tokens, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${mark}${token}"`,
  );
  return kept === text
    ? JSON.parse(text)
    : JSON.parse(kept, (_, value: unknown) =>
        typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value,
      );
}

/** The text of a value, indented, its numbers as they were written. */
export const exactText = (value: ExactValue): string => written(value, 2);

/** The same in one line, as it is sent. Members that are undefined are left out. */
export const exactJson = (value: object): string => written(value, 0);

function written(value: unknown, indent: number): string {
  const keep = (_: string, one: unknown): unknown => (one instanceof ExactNumber ? mark + one.text : one);
  return JSON.stringify(value, keep, indent).replace(marked, '$1');
}
