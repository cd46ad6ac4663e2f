import { type Json, parseJson } from '../text/json.ts';
import { visibleLine } from '../text/visible.ts';

/** One place at which two definitions of a tool differ, in text for people: characters that nobody sees are made visible. */
export type DefinitionChange = {
  /** Names on the way to it, such as `annotations.destructiveHint`. */
  readonly path: string;
  /** As JSON; absent if it was not there before. */
  readonly before?: string;
  /** As JSON; absent if it is not there any more. */
  readonly after?: string;
};

/**
 * Every place at which the definition of a tool differs from the one before, in order of path. Both are JSON texts; an empty one
 * before has no places, so that all of a new tool is shown.
 */
export function definitionChanges(beforeJson: string, afterJson: string): DefinitionChange[] {
  const before = placesOf(beforeJson);
  const after = placesOf(afterJson);
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => {
      const [was, is] = [before.get(path), after.get(path)];
      return {
        path: visibleLine(path),
        ...(was === undefined ? {} : { before: visibleLine(was) }),
        ...(is === undefined ? {} : { after: visibleLine(is) }),
      };
    });
}

/** The values of a definition by their places. */
function placesOf(text: string): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const walk = (value: Json, path: string): void => {
    const inner = typeof value === 'object' && value !== null ? Object.entries(value as { [key: string]: Json }) : [];
    if (inner.length === 0) places.set(path, JSON.stringify(value));
    else for (const [key, one] of inner) walk(one, path === '' ? segment(key) : `${path}.${segment(key)}`);
  };
  const parsed = text === '' ? undefined : parseJson(text);
  if (parsed !== undefined) walk(parsed, '');
  return places;
}

/** A name as it is, unless it could be taken for several or for none. */
function segment(key: string): string {
  return /^[^\s."\\]+$/u.test(key) ? key : JSON.stringify(key);
}
