import { ExactNumber, type ExactValue, exactText } from '@stopgo/client';

/** One part of what a server says of a tool, as it was accepted and as it is now. Undefined: nothing is said of it. */
export type DefinitionPart = {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

type Members = { readonly [key: string]: ExactValue };

const titles = new Map([
  ['title', 'Title'],
  ['description', 'Description'],
  ['inputSchema', 'Arguments that it takes'],
  ['outputSchema', 'What it gives'],
  ['annotations', 'What it says that it does'],
]);

/** The parts that differ, those that people read first before the others. */
export function changedParts(accepted: ExactValue | undefined, now: ExactValue | undefined): readonly DefinitionPart[] {
  const [before, after] = [membersOf(accepted), membersOf(now)];
  const names = [...titles.keys(), ...[...new Set([...Object.keys(before), ...Object.keys(after)])].sort()];
  return [...new Set(names)]
    .map((key) => ({ name: titles.get(key) ?? key, before: textOf(before, key), after: textOf(after, key) }))
    .filter((part) => part.before !== part.after);
}

/** A text stands as it is, line by line; all else as JSON. */
function textOf(members: Members, key: string): string | undefined {
  if (!Object.hasOwn(members, key)) return undefined;
  const value = members[key] as ExactValue;
  return typeof value === 'string' ? value : exactText(value);
}

const membersOf = (value: ExactValue | undefined): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
    ? (value as Members)
    : {};
