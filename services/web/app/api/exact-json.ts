// JSON whose numbers stay as they are written. An approval shows what will be sent, digit by digit, and JavaScript would round
// 12345678901234567890, or write 1.0 as 1, without a word.

/** A number that JavaScript would write in another way. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
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
export function exactText(value: ExactValue, indent = ''): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = `${indent}  `;
  const items = isList
    ? (value as readonly ExactValue[]).map((one) => exactText(one, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${exactText(one, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return items.length === 0 ? open + close : `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
}
