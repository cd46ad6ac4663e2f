import { RE2JS, RE2JSException } from 're2js';

/** Longest pattern accepted, in UTF-16 code units. */
export const patternLengthMax = 1_000;

/**
 * Largest compiled pattern accepted, in RE2 instructions. Matching costs at most instructions times length of the text,
 * about a nanosecond each, so this and a bound on the text bound the time that one test can take.
 */
export const patternProgramMax = 5_000;

/** Tells whether a text contains a match. */
export type TextTest = (text: string) => boolean;

export type CompiledPattern =
  /** `size`: how many RE2 instructions it has. */
  | { readonly kind: 'compiled'; readonly test: TextTest; readonly size: number }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Compiles a pattern in RE2 syntax: unanchored, matched in time linear in the text. Look-around and
 * back-references do not exist in it and are reported as invalid, like every other mistake.
 */
export function compilePattern(pattern: string, options: { readonly ignoreCase?: boolean } = {}): CompiledPattern {
  if (pattern.length > patternLengthMax) {
    return { kind: 'invalid', reason: `longer than ${patternLengthMax} characters` };
  }
  try {
    const compiled = RE2JS.compile(pattern, options.ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0);
    const size = compiled.programSize();
    if (size > patternProgramMax) {
      return { kind: 'invalid', reason: 'too complex, use fewer or smaller repetitions' };
    }
    return { kind: 'compiled', test: (text) => compiled.test(text), size };
  } catch (thrown) {
    if (thrown instanceof RE2JSException) return { kind: 'invalid', reason: thrown.message };
    throw thrown;
  }
}
