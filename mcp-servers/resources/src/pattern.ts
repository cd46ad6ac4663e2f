import { RE2JS, RE2JSException } from 're2js';

/** Longest pattern accepted, in UTF-16 code units. */
export const PATTERN_LENGTH_MAX = 1_000;

/**
 * Largest compiled pattern accepted, in RE2 instructions. Matching costs at most instructions times name length, so
 * this bounds the time that a single name can take (tens of milliseconds at the very worst).
 */
export const PATTERN_PROGRAM_MAX = 5_000;

/** Tells whether a name contains a match. */
export type NameTest = (name: string) => boolean;

export type CompiledPattern =
  | { readonly kind: 'compiled'; readonly test: NameTest }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Compiles a pattern in RE2 syntax: unanchored, case-sensitive, matched in time linear in the name. Look-around and
 * back-references do not exist in it and are reported as invalid, like every other mistake.
 */
export function compilePattern(pattern: string): CompiledPattern {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return { kind: 'invalid', reason: `longer than ${PATTERN_LENGTH_MAX} characters` };
  }
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > PATTERN_PROGRAM_MAX) {
      return { kind: 'invalid', reason: 'too complex, use fewer or smaller repetitions' };
    }
    return { kind: 'compiled', test: (name) => compiled.test(name) };
  } catch (thrown) {
    if (thrown instanceof RE2JSException) return { kind: 'invalid', reason: thrown.message };
    throw thrown;
  }
}
