import type { YAMLError } from 'yaml';

/*
 * What the reader of YAML says is about the grammar of YAML. Here it is said in the words of whoever wrote the file: which key is
 * indented too far or not far enough, which quote is missing. Values are never repeated: one may be a credential.
 */

/** A fault of the syntax, and where it is: line and column count from 1. */
export type Slip = { readonly line: number; readonly column: number; readonly message: string };

/** `isMisplaced`: a line begins at the wrong column. */
type FoundSlip = Slip & { readonly isMisplaced?: true };

type Fault = {
  readonly code: YAMLError['code'];
  readonly message: string;
  readonly line: number;
  readonly column: number;
};

/** A line of block YAML that begins with a key: where the key begins (after `- `), and its name. */
type KeyLine = { readonly column: number; readonly key: string };

/** Every fault of a text, each told once: the reader goes on after the first one, and what it says then mostly follows from it. */
export function slipsOf(source: string, faults: readonly Fault[]): Slip[] {
  const lines = source.split('\n');
  const slips: Slip[] = [];
  let told = 0;
  for (const fault of faults) {
    const isEcho =
      slips.length > 0 &&
      ['UNEXPECTED_TOKEN', 'MULTILINE_IMPLICIT_KEY', 'MISSING_CHAR', 'IMPOSSIBLE'].includes(fault.code);
    const isIndentation = ['BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY'].includes(fault.code) && !isOfFlow(fault);
    if (isEcho || (isIndentation && fault.line <= told)) continue;
    const slip = slipOf(fault, lines);
    // Of a block that is told of already, what has no words of its own only repeats that.
    if (slip === undefined || (isIndentation && slips.length > 0 && slip.message === oneLine(fault.message))) continue;
    if (slips.some(({ line, message }) => line === slip.line && message === slip.message)) continue;
    slips.push(slip);
    if (slip.isMisplaced) told = endOfBlock(lines, slip.line);
  }
  return slips;
}

/**
 * The last line of the block in which a line is misplaced: what is told of the lines after it there follows from it, and may order the
 * opposite.
 */
function endOfBlock(lines: readonly string[], misplaced: number): number {
  const column = columnOf(lines[misplaced - 1]);
  const above = keyAbove(lines, misplaced, column)?.column ?? column;
  const before = lines.slice(0, misplaced - 1).map(columnOf);
  const outer = above < column ? above : (before.findLast((one) => one < column) ?? 0);
  const after = lines.slice(misplaced).findIndex((line) => columnOf(line) <= outer);
  return after < 0 ? lines.length : misplaced + after;
}

/** Where a line begins; an empty one nowhere. */
const columnOf = (line = ''): number => (line.trim() === '' ? Number.POSITIVE_INFINITY : line.search(/\S/) + 1);

const isOfFlow = ({ message }: Fault): boolean => /^Flow (?:sequence|map)\b/.test(message);

function slipOf(fault: Fault, lines: readonly string[]): FoundSlip | undefined {
  const at = ({ line, column }: { readonly line: number; readonly column: number }, message: string): Slip => ({
    line,
    column,
    message,
  });
  const here = lines[fault.line - 1] ?? '';
  switch (fault.code) {
    case 'MULTIPLE_DOCS':
      return at(fault, 'only one document is allowed; remove the line ---');
    case 'TAB_AS_INDENT':
      return at(fault, 'Tabs are not allowed as indentation; use spaces');
    case 'DUPLICATE_KEY': {
      const key = keyOf(here)?.key;
      return at(
        fault,
        key === undefined ? 'this key stands here twice' : `the key "${key}" stands here twice; remove one`,
      );
    }
    case 'BAD_ALIAS':
      // A star or an ampersand with nothing behind it.
      if (!/ cannot be an empty string$/.test(fault.message)) return at(fault, oneLine(fault.message));
      return at(fault, `a text that begins with ${here[fault.column - 1] ?? 'this'} must stand in quotes`);
    case 'BAD_SCALAR_START':
      return at(fault, `a text that begins with ${here[fault.column - 1] ?? 'this'} must stand in quotes`);
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
    case 'MISSING_CHAR':
    case 'UNEXPECTED_TOKEN':
      return indentationSlip(fault, lines) ?? at(fault, oneLine(fault.message));
    default:
      return at(fault, oneLine(fault.message));
  }
}

function indentationSlip(fault: Fault, lines: readonly string[]): FoundSlip | undefined {
  const here = lines[fault.line - 1] ?? '';
  if (isOfFlow(fault)) {
    const [open, close] = fault.message.startsWith('Flow map') ? ['{', '}'] : ['[', ']'];
    const message = `what begins with ${open} does not end: ${close} is missing before this line, or a line inside is not indented`;
    return { line: fault.line, column: fault.column, message };
  }
  if (/quote/.test(fault.message))
    return {
      line: fault.line,
      column: fault.column,
      message: 'a text in quotes does not end: the closing quote is missing',
    };
  if (/^(?:All sequence items|A block sequence)\b/.test(fault.message)) {
    const message = 'the dash of this entry does not begin at the same column as that of the entry above';
    // It may be told of the key that the entry belongs to.
    const below = lines.slice(fault.line - 1).findIndex((line) => /^ *-/.test(line));
    const line = fault.line + Math.max(0, below);
    return { line, column: columnOf(lines[line - 1]), message, isMisplaced: true };
  }
  const bad = badDash(lines, fault.line);
  if (bad !== undefined) return bad;
  const value = plainValue(here);
  // The fault is told of the value; what is odd may be the next line, which is taken for a part of it.
  if (value !== undefined && /:(?:\s|$)/.test(value.text) && !/^["'|>[{&*!]/.test(value.text)) {
    const message = 'a text that holds ": " must stand in quotes';
    return { line: fault.line, column: value.column, message };
  }
  if (value !== undefined && /^[[{]/.test(value.text) && fault.code === 'UNEXPECTED_TOKEN') {
    const message = `a text that begins with ${value.text[0]} must stand in quotes`;
    return { line: fault.line, column: value.column, message };
  }
  if (/^\s*(?:- +)?[\w-]+:[^\s/]/.test(here)) {
    const colon = here.indexOf(':');
    return { line: fault.line, column: colon + 1, message: 'a space is missing after the colon' };
  }
  if (fault.code === 'BAD_INDENT' && keyOf(here) === undefined) {
    const message = 'this line is not indented like the text or the keys above it';
    return { line: fault.line, column: fault.column, message, isMisplaced: true };
  }
  return misplacedKey(fault, lines);
}

/** `-name: a` is a key that begins with a dash; what was meant is an entry of a list. */
function badDash(lines: readonly string[], line: number): Slip | undefined {
  const column = /^ *-(?=[\w"'])/.exec(lines[line - 1] ?? '')?.[0].length;
  return column === undefined ? undefined : { line, column, message: 'a space is missing after the dash' };
}

/** The first key from the fault on that begins at no column at which a key may begin there. */
function misplacedKey(fault: Fault, lines: readonly string[]): FoundSlip | undefined {
  // What the reader complains of is the line itself, or the one before it, whose value it took to go on.
  const from =
    fault.code === 'BAD_INDENT' || fault.code === 'MISSING_CHAR' || fault.code === 'UNEXPECTED_TOKEN'
      ? fault.line
      : fault.line + 1;
  const found = nextKey(lines, from);
  const above = found === undefined ? undefined : keyAbove(lines, found.line, found.column);
  if (found === undefined || above === undefined || found.column === above.column) return undefined;
  const direction = found.column > above.column ? 'too far' : 'not far enough';
  const message =
    `"${found.key}" is indented ${direction}: it begins at column ${found.column}, and "${above.key}" above it at column ` +
    `${above.column}; keys of the same mapping begin at the same column`;
  return { line: found.line, column: found.column, message, isMisplaced: true };
}

function nextKey(lines: readonly string[], from: number): (KeyLine & { readonly line: number }) | undefined {
  for (let line = from; line <= lines.length; line += 1) {
    const found = keyOf(lines[line - 1] ?? '');
    if (found !== undefined) return { ...found, line };
  }
  return undefined;
}

/** Of the keys above a line in whose mappings a key may stand there, the one that begins nearest to a column. */
function keyAbove(lines: readonly string[], below: number, column: number): KeyLine | undefined {
  let nearest: KeyLine | undefined;
  let open = Number.POSITIVE_INFINITY;
  for (let line = below - 1; line >= 1 && open > 1; line -= 1) {
    const found = keyOf(lines[line - 1] ?? '');
    if (found === undefined || found.column >= open) continue;
    open = found.column;
    if (nearest === undefined || Math.abs(found.column - column) < Math.abs(nearest.column - column)) nearest = found;
  }
  return nearest;
}

const keyPattern = /^( *(?:- +)*)([A-Za-z_][\w-]*):(?: |\t|$)/;

function keyOf(line: string): KeyLine | undefined {
  const match = keyPattern.exec(line.trimEnd());
  return match === null ? undefined : { column: (match[1] ?? '').length + 1, key: match[2] ?? '' };
}

function plainValue(line: string): { readonly column: number; readonly text: string } | undefined {
  const match = keyPattern.exec(line);
  if (match === null) return undefined;
  const rest = line.slice(match[0].length);
  const text = rest.trim();
  return text === '' ? undefined : { column: match[0].length + rest.indexOf(text) + 1, text };
}

/** What is said of a reference (`*name`) to an anchor that is not there; the place is that of the first such text. */
export function aliasSlip(source: string, message: string): Slip | undefined {
  const name = /^Unresolved alias .*: (\S+)$/.exec(message)?.[1];
  const offset = name === undefined ? -1 : source.indexOf(`*${name}`);
  if (offset < 0) return undefined;
  const before = source.slice(0, offset).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  return { line: before.length, column, message: 'a text that begins with * must stand in quotes' };
}

function oneLine(message: string): string {
  return message.replace(/\s+/g, ' ').trim();
}
