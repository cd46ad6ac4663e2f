/** Arguments that passed, or the text that tells the caller what to mend. */
export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'error'; readonly message: string };

/** A call's arguments as they arrived. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** Longest name of an unknown argument that an error quotes, in UTF-16 code units. */
const quoteLengthMax = 64;

/**
 * The text that refuses an argument which the tool does not know, or undefined. A misspelt argument must not be ignored:
 * a removal would then reach further than its caller meant.
 */
export function refuseUnknown(tool: string, raw: RawArguments, known: readonly string[]): string | undefined {
  const stranger = Object.keys(raw).find((key) => !known.includes(key));
  if (stranger === undefined) return undefined;
  return `unknown argument ${JSON.stringify(stranger.slice(0, quoteLengthMax))}: ${tool} takes ${listed(known)}`;
}

/** Names as a sentence lists them. */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? 'no arguments';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Models often send null for what they leave out. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
