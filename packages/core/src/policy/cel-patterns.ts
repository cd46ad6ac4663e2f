/**
 * Patterns of `matches`. How long one takes over a text grows with the size of both, so that is what is counted: never time. They are read anew
 * for each evaluation, since what they find out about a text they keep.
 */
import { RE2JS } from '@bufbuild/re2';
import type { ExpressionProblem, OfPatterns } from './cel-check.ts';

/** Steps of all patterns in one evaluation; some tenths of a second where they are reached. */
const stepsMax = 2_000_000;

/** What tries the patterns of one predicate. A step is one instruction of a pattern at one character of a text. */
export class Patterns {
  readonly #read = new Map<string, RE2JS>();
  #steps = 0;

  /** Forgets what the evaluation before came to. */
  begin(): void {
    this.#read.clear();
    this.#steps = 0;
  }

  /** @throws Error for a pattern that cannot be read; `test` throws one for a text that is too long for it. */
  compile(text: string): { test(of: string): boolean } {
    const pattern = this.#read.get(text) ?? RE2JS.compile(text);
    this.#read.set(text, pattern);
    const size = sizeOf(pattern);
    return {
      test: (of) => {
        this.#steps += size * (of.length + 1);
        if (this.#steps > stepsMax) throw new Error(`a text is too long for the pattern ${text}`);
        return pattern.test(of);
      },
    };
  }
}

/** The first pattern that nothing can ever be tried with; undefined if there is none. */
export function unreadablePattern(patterns: OfPatterns['patterns']): ExpressionProblem | undefined {
  for (const { text, id } of patterns) {
    const why = text === undefined ? 'it is no text' : whyUnreadable(text);
    if (why !== undefined) return { message: `the pattern of matches cannot be read: ${why}`, id };
  }
  return undefined;
}

const sizeOf = (pattern: RE2JS): number => pattern.re2().prog.numInst();

function whyUnreadable(text: string): string | undefined {
  try {
    RE2JS.compile(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
