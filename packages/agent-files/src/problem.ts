/** What a problem is about: the file's size, its path, the name that follows from that, the syntax of its frontmatter, a key, its prompt. */
export type ProblemKind = 'size' | 'path' | 'name' | 'frontmatter' | 'field' | 'template';

/** Something in an agent file that is wrong, or odd, and what to do about it. Lines and columns count from 1. */
export type Problem = {
  readonly path: string;
  readonly line: number;
  readonly column?: number;
  readonly message: string;
  readonly kind: ProblemKind;
};

/** A place in a file. */
export type Position = { readonly line: number; readonly column: number };

/** `path:line:column: message`, as compilers say it. */
export function problemLine({ path, line, column, message }: Problem): string {
  return `${path}:${line}:${column ?? 1}: ${message}`;
}
