import type { Position } from './problem.ts';

/** A file in its two parts. */
export type Parts = {
  /** Of the file, up to the line that ends it. The line that begins it is left empty, so that lines count as in the file. */
  readonly frontmatter: string;
  readonly body: string;
  /** Line of the file at which the body begins. */
  readonly bodyLine: number;
};

/** `none`: the file has no frontmatter. */
export type SplitFile =
  | { readonly kind: 'parts'; readonly parts: Parts }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'problem';
      readonly message: string;
      readonly at: Position;
      /** It begins like frontmatter that is a program. */
      readonly isOtherLanguage: boolean;
    };

/** Parts a file into frontmatter and body. Lines may end as on any system; a byte order mark before all is no part of it. */
export function splitFile(source: string): SplitFile {
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const first = text.slice(0, text.indexOf('\n') < 0 ? text.length : text.indexOf('\n'));
  // More dashes are a line across the page.
  if (!/^---(?!-)/.test(first)) return { kind: 'none' };
  if (first.trimEnd() !== '---')
    return {
      kind: 'problem',
      message:
        'the first line must be --- and nothing else: frontmatter is YAML, and no other language is read or run; remove what follows the dashes',
      at: { line: 1, column: 4 },
      isOtherLanguage: true,
    };
  const end = /^---[ \t]*$/m;
  const rest = text.slice(first.length + 1);
  const found = end.exec(rest);
  if (found === null)
    return {
      kind: 'problem',
      message: 'the frontmatter does not end: write a line --- after its last key, and the prompt below',
      at: { line: 1, column: 1 },
      isOtherLanguage: false,
    };
  const frontmatter = `\n${rest.slice(0, found.index)}`;
  const body = rest.slice(found.index + found[0].length + 1);
  return { kind: 'parts', parts: { frontmatter, body, bodyLine: frontmatter.split('\n').length + 1 } };
}
