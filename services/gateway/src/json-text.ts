/**
 * JSON text that is shown as it stands. What a tool is called with must reach a reader digit by digit: parsed and
 * written again, large integers would come out different from what was approved.
 */
export class RawJson {
  readonly text: string;

  /** Only {@link RawJson.from} calls this: the text is valid JSON. */
  private constructor(text: string) {
    this.text = text;
  }

  /** The text as raw JSON; undefined if it is not JSON. */
  static from(text: string): RawJson | undefined {
    try {
      JSON.parse(text);
    } catch {
      return undefined;
    }
    return new RawJson(text);
  }
}

/** What an answer is made of. Members that are undefined are left out. */
export type Answer =
  | null
  | boolean
  | number
  | string
  | RawJson
  | readonly Answer[]
  | { readonly [key: string]: Answer | undefined };

/** The JSON text of an answer. */
export function jsonText(value: Answer): string {
  if (value instanceof RawJson) return value.text;
  if (isList(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${jsonText(member)}`);
  }
  return `{${members.join(',')}}`;
}

const isList = (value: Answer): value is readonly Answer[] => Array.isArray(value);
