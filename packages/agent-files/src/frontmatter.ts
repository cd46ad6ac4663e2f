import { positionOf, slipsOf, type YamlPath } from '@stopgo/runtime/yaml';
import { type Document, isMap, LineCounter, parseDocument, visit } from 'yaml';
import type { Position } from './problem.ts';

type Said = { readonly message: string; readonly at: Position };

/** Keys and values of a frontmatter as plain data. */
export type Frontmatter = {
  /** Without keys that have no value. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly positionOf: (place: YamlPath) => Position;
  readonly warnings: readonly Said[];
};

/**
 * The same of a file that was written for a program which takes the rest of a line for a text: a description with a colon needs no quotes
 * there.
 */
export function readLooseFrontmatter(text: string): ReturnType<typeof readFrontmatter> {
  const strict = readFrontmatter(text);
  if (!('problems' in strict)) return strict;
  const loose = readFrontmatter(
    text.replace(plainLine, (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`),
  );
  return 'problems' in loose ? strict : loose;
}

/** A key at the beginning of a line, and a text without quotes that a reader of YAML could stumble over. */
const plainLine = /^([A-Za-z][\w-]*):[ \t]+(?!["'[{|>&*!%@`])(\S(?:.*(?::[ \t]| #).*|.*:))$/gm;

/** Reads YAML in which nothing refers to anything else, so that it means no more than what is written. Never throws. */
export function readFrontmatter(text: string): Frontmatter | { readonly problems: readonly Said[] } {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const deep = tooDeepAt(text);
  if (deep !== undefined) return { problems: [{ message: tooDeep, at: positionOfOffset(text, deep) }] };
  let document: Document.Parsed;
  let data: unknown;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    if (document.errors.length > 0) {
      const faults = document.errors.map(({ code, message, pos }) => {
        const { line, column } = at(pos[0]);
        return { code, message, line, column };
      });
      const slips = slipsOf(text, faults);
      return { problems: slips.map(({ line, column, message }) => ({ message, at: { line, column } })) };
    }
    const reference = referenceIn(document);
    if (reference !== undefined) {
      const message =
        'anchors (&name) and references (*name) are not read: write the value out, or put the text in quotes';
      return { problems: [{ message, at: at(reference) }] };
    }
    data = document.toJS({ maxAliasCount: 0 });
  } catch {
    return { problems: [{ message: tooDeep, at: { line: 2, column: 1 } }] };
  }
  if (data !== null && data !== undefined && !isMap(document.contents)) {
    const message = 'expected keys with values, such as "description: Answers questions about orders"';
    return { problems: [{ message, at: at(document.contents?.range[0] ?? 0) }] };
  }
  return {
    data: withoutEmptyKeys((data ?? {}) as Record<string, unknown>),
    positionOf: (place) => positionOf(document, lines, place),
    warnings: document.warnings.map(({ pos, message }) => {
      const tag = /^Unresolved tag: (\S+)/.exec(message)?.[1] ?? '';
      return { message: `the tag ${tag} is not known; what follows it is read as plain data`, at: at(pos[0]) };
    }),
  };
}

/** Levels of brackets, and of entries that begin on one line: more than that is no frontmatter, and costs the reader of YAML a second. */
const levelsMax = 64;
const entriesOnOneLine = new RegExp(`(?:[?-][ \\t]+){${levelsMax}}`);

/** Where a text goes deeper than anybody writes; brackets in quotes count as well. */
function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index];
    if (sign === '[' || sign === '{') depth += 1;
    else if ((sign === ']' || sign === '}') && depth > 0) depth -= 1;
    if (depth > levelsMax) return index;
  }
  return entriesOnOneLine.exec(text)?.index;
}

function positionOfOffset(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const tooDeep = 'it is nested too deeply to be read; no key needs more than three levels';

/** Where the first anchor or reference stands. */
function referenceIn(document: Document.Parsed): number | undefined {
  let found: number | undefined;
  visit(document, {
    Alias: (_, { range }) => {
      found = range?.[0] ?? 0;
      return visit.BREAK;
    },
    Node: (_, node) => {
      if (!('anchor' in node) || node.anchor === undefined) return undefined;
      found = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
}

/** A key without a value is a key not given, also of a node of a tree. */
function withoutEmptyKeys<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutEmptyKeys) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(given.map(([key, inner]) => [key, withoutEmptyKeys(inner)])) as Value;
}
