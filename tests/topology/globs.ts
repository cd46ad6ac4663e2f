import { matchesGlob } from 'node:path';

/** A rule asks again and again, for each of its mutants, and reading a pattern takes longer than anything else. */
const found = new Map<string, boolean>();

/** Whether a path of the repository matches one of these patterns. */
export function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const key = `${pattern} ${path}`;
    const matches = found.get(key) ?? matchesGlob(path, pattern);
    found.set(key, matches);
    return matches;
  });
}
