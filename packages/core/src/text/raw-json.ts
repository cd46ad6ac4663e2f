// Reads parts of a JSON text without parsing it: what stands there is wanted as it was written.

/** A step into a JSON value: a member's name, an item's index, or `*` for each item of a list. */
export type JsonStep = string | number;

/** Said of a member that stands twice where one of them would have to be chosen. */
export class AmbiguousMember extends Error {
  override readonly name = 'AmbiguousMember';
}

/**
 * The texts of all objects that a path leads to, in their order. `*` as a step stands for each item of a list; a path that leads
 * nowhere gives nothing. The text must be valid JSON.
 *
 * @throws AmbiguousMember if a member on the way stands twice in its object.
 */
export function objectTextsAt(text: string, path: readonly JsonStep[]): string[] {
  return [...objectsFrom(text, skipSpace(text, 0), path)];
}

function* objectsFrom(text: string, at: number, [step, ...rest]: readonly JsonStep[]): Generator<string> {
  if (step === undefined) {
    if (text[at] === '{') yield text.slice(at, endOfValue(text, at));
    return;
  }
  if (typeof step === 'string' && step !== '*') {
    const found = [...parts(text, at, '{')].filter(({ name }) => name === step);
    if (found.length > 1) throw new AmbiguousMember(`the member "${step}" stands twice`);
    for (const { start } of found) yield* objectsFrom(text, start, rest);
    return;
  }
  let index = 0;
  for (const { start } of parts(text, at, '[')) {
    if (step === '*' || step === index) yield* objectsFrom(text, start, rest);
    index += 1;
  }
}

/** The members of an object, or the items of a list, if that is what stands there. */
function* parts(text: string, at: number, opening: '{' | '['): Generator<{ name: string; start: number }> {
  if (text[at] !== opening) return;
  const closing = opening === '{' ? '}' : ']';
  for (let next = skipSpace(text, at + 1); next < text.length && text[next] !== closing; ) {
    let name = '';
    if (opening === '{') {
      const end = endOfText(text, next);
      name = JSON.parse(text.slice(next, end)) as string;
      next = skipSpace(text, skipSpace(text, end) + 1);
    }
    yield { name, start: next };
    next = skipSpace(text, endOfValue(text, next));
    if (text[next] === ',') next = skipSpace(text, next + 1);
  }
}

/** Where the value that begins at `start` is over. Without recursion: a stranger says how deep it is. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') {
      at = endOfText(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth <= 0) return depth < 0 ? at : at + 1;
    } else if (character === ',' && depth === 0) return at;
  }
  return text.length;
}

/** Where the quoted text that begins at `start` is over. */
export function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Whether a colon is the next thing in the text from there: what stands before it is a member's name. */
export function isFollowedByColon(text: string, from: number): boolean {
  return text[skipSpace(text, from)] === ':';
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '-')) at += 1;
  return at;
}
