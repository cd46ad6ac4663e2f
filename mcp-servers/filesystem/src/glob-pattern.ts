import { type CompiledPattern, compilePattern, type TextTest } from '@stopgo/tool-server/pattern';
import { Refusal } from './refusal.ts';

/** Tells whether a path, relative to where a search begins, is meant. */
export type PathTest = (path: string) => boolean;

/**
 * A glob: `*` and `?` stay within a name, `**` goes through folders, `[a-z]`, `[^a-z]`, `{a,b}`, `\` before a sign that is
 * meant as such. One without `/` and `**` is for the last name of a path. Runs as RE2, in time linear in the path.
 * @throws Refusal when it is malformed.
 */
export function globTest(glob: string): PathTest {
  const compiled = compilePattern(`^${expressionOf(glob)}$`);
  if (compiled.kind === 'invalid') throw new Refusal(`invalid pattern: ${compiled.reason}`);
  const { test } = compiled;
  if (glob.includes('/') || glob.includes('**')) return test;
  return (path) => test(path.slice(path.lastIndexOf('/') + 1));
}

/** A regular expression for relative paths. @throws Refusal when it is malformed. */
export function regexTest(regex: string, name: 'pattern' | 'regex', ignoreCase = false): Compiled {
  const compiled = compilePattern(regex, { ignoreCase });
  if (compiled.kind === 'invalid') throw new Refusal(`invalid ${name}: ${compiled.reason}`);
  return compiled;
}

type Compiled = Extract<CompiledPattern, { readonly test: TextTest }>;

const special = /[\\^$.|?*+()[\]{}]/u;

/** Names may hold newlines, so a dot of RE2 is not enough. */
const any = '(?s:.)';
const anyInName = '[^/]';

function expressionOf(glob: string): string {
  let expression = '';
  let open = 0;
  for (let at = 0; at < glob.length; ) {
    const rest = glob.slice(at);
    const [sign = ''] = rest;
    const atName = at === 0 || glob[at - 1] === '/';
    if (atName && rest.startsWith('**/')) {
      expression += `(?:${any}*/)?`;
      at += 3;
    } else if (rest === '/**') {
      // The folder itself is meant too.
      expression += `(?:/${any}*)?`;
      at += 3;
    } else if (rest.startsWith('**')) {
      expression += `${any}*`;
      at += 2;
    } else if (sign === '*' || sign === '?') {
      expression += sign === '*' ? `${anyInName}*` : anyInName;
      at += 1;
    } else if (sign === '[') {
      const set = setOf(rest);
      expression += set.expression;
      at += set.length;
    } else if (sign === '\\') {
      if (rest.length < 2) throw new Refusal('invalid pattern: it ends in a backslash');
      expression += literal(rest[1] ?? '');
      at += 2;
    } else if (sign === '{') {
      open += 1;
      expression += '(?:';
      at += 1;
    } else if (sign === '}' && open > 0) {
      open -= 1;
      expression += ')';
      at += 1;
    } else {
      expression += sign === ',' && open > 0 ? '|' : literal(sign);
      at += 1;
    }
  }
  if (open > 0) throw new Refusal('invalid pattern: a { is not closed');
  return `(?:${expression})`;
}

function literal(sign: string): string {
  return special.test(sign) ? `\\${sign}` : sign;
}

const characterSet = /^\[(\^|!)?((?:\\.|[^\]\\])(?:\\.|[^\]\\])*)\]/su;

function setOf(rest: string): { readonly expression: string; readonly length: number } {
  const match = characterSet.exec(rest);
  if (match === null) throw new Refusal('invalid pattern: a [ is not closed');
  const [whole, not, members = ''] = match;
  const escaped = members.replace(/(\\.)|[[\]^&~|]/gsu, (sign, pair: string | undefined) => pair ?? `\\${sign}`);
  return { expression: not === undefined ? `[${escaped}]` : `[^/${escaped}]`, length: whole.length };
}
