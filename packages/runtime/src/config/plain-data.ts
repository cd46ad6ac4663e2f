/*
 * The plain data of a file, whatever its author wrote: what of it has the form that is looked for.
 */

/** What YAML calls a mapping. */
export type Mapping = Readonly<Record<string, unknown>>;

/** An entry of a list, and where it stands there. */
export type Entry = { readonly value: Mapping; readonly index: number };

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entries of a list that are mappings; none of what is no list. */
export function mappingsIn(value: unknown): Entry[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown, index) => (isMapping(entry) ? [{ value: entry, index }] : []));
}

/** The type of a node. One without a type, or with an empty one, is an llm node. */
export function nodeTypeOf(node: Mapping): unknown {
  return node.type === undefined || node.type === '' ? 'llm' : node.type;
}
