const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * A member name that stands twice in one object of a JSON text; undefined if there is none. `JSON.parse` keeps the last
 * one in silence, so that `{"approved":false,"approved":true}` would approve although its fields disagree.
 *
 * The text must be valid JSON. Takes one pass, without recursion.
 */
export function repeatedName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = endOfText(text, at);
      const names = open.at(-1);
      if (names !== undefined && isFollowedByColon(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string;
        if (names.has(name)) return name;
        names.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** Where the quoted text that begins at `start` is over. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '-')) at += 1;
  return text[at] === ':';
}
