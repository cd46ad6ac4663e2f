/** What a plain sentence asks for, before it is fitted to a tool. */
export type Wish =
  | { readonly kind: 'list'; readonly pattern?: string }
  | { readonly kind: 'add'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'remove'; readonly pattern: string }
  /** There shall be that many, whose names begin so. */
  | { readonly kind: 'ensure'; readonly count: number; readonly prefix?: string };

const verbs = 'create|add|make|remove|delete|list|show|display';
// A verb counts where a clause may begin; so a resource called "list" is still a name in "remove list".
const clauseStart = new RegExp(
  `(?:^|[.;,!?\\n:]\\s*|(?:\\b(?:and|then|now|please|also|you|to)\\s+)+)(${verbs})\\b`,
  'gi',
);
const valueOfAName =
  /(?:"([^"]+)"|'([^']+)'|([\p{L}\p{N}][\p{L}\p{N}._-]*))\s*,?\s*(?:(?:with|having|of|and)\s+)?(?:(?:(?:a|the|its)\s+)?value\s*(?:of\b|is\b|=|:|to\b)?|=|:)\s*("[^"]*"|'[^']*'|-?\d+(?:\.\d+)?(?![\p{L}\p{N}_-])|[^\s,;]+)/giu;
const ensuredPattern =
  /\b(?:ensure|keep|have|need)\b[^.;\n]*\bat\s+least\s+(\d{1,6})\s+(?:resources?|servers?|items?)\b(?:\s+(?:starting|beginning)\s+with\s+(\S+))?/i;
const filler = /^(?:(?:the|a|an|any|every|resources?|servers?|items?|named|called|with|name|me|please)\s+)+/i;
const everything = /^(?:all|everything|(?:all|every)\s+(?:the\s+)?(?:resources?|servers?|items?))$/i;

/** Reads a sentence as a list of wishes, in the order in which they are said. Nothing understood gives an empty list. */
export function wishesOf(text: string): Wish[] {
  const ensured = ensuredPattern.exec(text);
  if (ensured) return [ensuringIn(ensured)];
  const wishes: Wish[] = [];
  for (const { verb, rest } of clausesOf(text)) {
    if (verb === 'create' || verb === 'add' || verb === 'make') wishes.push(...additionsIn(rest));
    else if (verb === 'remove' || verb === 'delete') wishes.push(...removalsIn(rest));
    else if (verb === 'list' || /\b(?:resources?|servers?|everything|all)\b/i.test(rest)) wishes.push(listingIn(rest));
  }
  if (wishes.length === 0 && /\b(?:what|which)\b.*\b(?:resources|servers)\b/i.test(text)) wishes.push({ kind: 'list' });
  return wishes;
}

function clausesOf(text: string): { verb: string; rest: string }[] {
  const starts = [...text.trim().matchAll(clauseStart)];
  return starts.map((start, index) => {
    const from = start.index + start[0].length;
    const rest = text
      .trim()
      .slice(from, starts[index + 1]?.index)
      .trim();
    return { verb: (start[1] ?? '').toLowerCase(), rest };
  });
}

function additionsIn(clause: string): Wish[] {
  return [...clause.matchAll(valueOfAName)].map((match) => ({
    kind: 'add',
    name: match[1] ?? match[2] ?? match[3] ?? '',
    value: unquoted((match[4] ?? '').replace(/[.!?]+$/, '')),
  }));
}

function removalsIn(clause: string): Wish[] {
  const matching = /\b(?:matching|like)\s+(?:the\s+)?(?:pattern\s+)?(\S+)/i.exec(clause);
  if (matching) return [{ kind: 'remove', pattern: unquoted(matching[1] ?? '') }];
  return clause
    .replace(/\s+(?:please|now)\b[.!?]*$/i, '')
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/i)
    .map((item) => item.replace(/[.!?]+$/, '').trim())
    .filter((item) => item !== '')
    .flatMap((item): Wish[] => {
      if (everything.test(item)) return [{ kind: 'remove', pattern: '.*' }];
      const named = item.replace(filler, '');
      const id = /^id\s*[:=]?\s*(\S+)$/i.exec(named);
      if (id) return [{ kind: 'remove', id: unquoted(id[1] ?? '') }];
      const name = unquoted(named);
      return name === '' ? [] : [{ kind: 'remove', pattern: `^${escaped(name)}$` }];
    });
}

function listingIn(clause: string): Wish {
  const starting = /\b(?:starting|beginning|start|begin)\s+with\s+(\S+)/i.exec(clause);
  if (starting) return { kind: 'list', pattern: startingWith(unquoted(stripped(starting[1]))) };
  const matching = /\b(?:matching|like|named|called)\s+(?:the\s+)?(?:pattern\s+)?(\S+)/i.exec(clause);
  return matching ? { kind: 'list', pattern: unquoted(stripped(matching[1])) } : { kind: 'list' };
}

function ensuringIn([, count, prefix]: RegExpExecArray): Wish {
  const ensured = { kind: 'ensure', count: Number(count) } as const;
  return prefix === undefined ? ensured : { ...ensured, prefix: unquoted(stripped(prefix)) };
}

/** The pattern of the names that begin so. */
export function startingWith(prefix: string): string {
  return `^${escaped(prefix)}`;
}

function stripped(word: string | undefined): string {
  return (word ?? '').replace(/[.,;!?]+$/, '');
}

function unquoted(text: string): string {
  return /^(["'`]).*\1$/s.test(text) ? text.slice(1, -1) : text;
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
