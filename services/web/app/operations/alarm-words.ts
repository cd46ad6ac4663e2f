// What the manual says of each line that a service may write: the table "Alarms" of docs/operations.md, which a test keeps complete.

/** A line that the manual knows, with what it means and what is to be done, as plain text with `code`. */
export type KnownLine = {
  readonly level: string;
  readonly pattern: RegExp;
  /** Characters that a line has to have: of several that fit, the one with the most is meant. */
  readonly literal: number;
  readonly means: string;
  readonly todo: string;
};

const row = /^\| (warn|error) \| (`+)(.+?)\2 \| (.+?) \| (.+) \|$/gm;

/** The lines that the page explains. */
export const knownLines = (page: string): readonly KnownLine[] =>
  [...page.matchAll(row)].map(([, level = '', , line = '', means = '', todo = '']) => ({
    level,
    ...patternOf(line.trim()),
    means: sentence(means),
    todo: sentence(todo),
  }));

/** What the manual says of a line; undefined if it does not know it. */
export function wordsFor(
  known: readonly KnownLine[],
  { level, message }: { readonly level: string; readonly message: string },
): KnownLine | undefined {
  const fitting = known.filter((one) => one.level === level && one.pattern.test(message));
  return fitting.toSorted((a, b) => b.literal - a.literal)[0];
}

/** `…` stands for anything. */
function patternOf(line: string) {
  const parts = line.split('…');
  const pattern = new RegExp(
    `^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`,
    's',
  );
  return { pattern, literal: parts.join('').length };
}

/** A link becomes its words: the page that it leads to is not here. */
function sentence(cell: string): string {
  const text = cell.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\*(\w+)\*/g, '$1');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
