/** A key of a mapping or an index of a list. */
export type YamlPath = readonly PropertyKey[];

/** Longest piece of a value that an error repeats, in characters. */
const quotedCharactersMax = 60;

/** Marks a problem that is told about the mapping (`mcp_servers[0]: name is required`), not about its key. */
export const isRequired = 'is required';

/** Writes a path the way a reader of the file would say it: `mcp_servers[0].args[1]`. */
export function formatPath(path: YamlPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** Something in a file that is wrong, or odd: a line that says what and where, and the place that it is about. */
export type Problem = { readonly line: string; readonly place: YamlPath };

/** A problem of what is at `path`; `place` is what it is about, if that is something else. */
export function problemAt(path: YamlPath, message: string, place: YamlPath = path): Problem {
  return { line: problemLine(path, message), place };
}

/** One line that says what is wrong and where. */
export function problemLine(path: YamlPath, message: string): string {
  if (message !== isRequired) return path.length === 0 ? message : `${formatPath(path)}: ${message}`;
  const parent = path.slice(0, -1);
  const key = String(path[path.length - 1]);
  return problemLine(parent, `${key} ${isRequired}`);
}

/** Text in double quotes with everything unprintable escaped, cut when it is long. */
export function quote(text: string): string {
  const cut = text.length > quotedCharactersMax ? `${text.slice(0, quotedCharactersMax)}…` : text;
  return JSON.stringify(cut);
}

/** What kind of thing was found, in the words of YAML. Texts are not repeated: one may be a credential put in the wrong place. */
export function inYamlWords(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
    case 'bigint':
      return `the number ${value}`;
    case 'boolean':
      return String(value);
    default:
      return 'a mapping';
  }
}
