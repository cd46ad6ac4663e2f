import { isDefect } from '../is-defect.ts';
import { quoted } from './protocol-error.ts';

/**
 * An error as it may be told and logged, when what an agent says may have led to it: without what `redact` hides. One of the
 * program's own making stays one, and says where it was made.
 */
export function toldError(error: unknown, redact: (text: string) => string): Error {
  if (!isDefect(error)) return new Error(redact(wordsOf(error)));
  const told = emptyLike(error);
  told.message = redact(quoted(error.message));
  // Its first lines are its words once more, and may be long.
  const [frames = ''] = /\n {4}at .*/s.exec(error.stack ?? '') ?? [];
  told.stack = `${told}${redact(quoted(frames))}`;
  return told;
}

function wordsOf(error: unknown): string {
  // The runtime shows a piece of what is no JSON: half of a token may be in it.
  if (error instanceof SyntaxError) return 'the answer cannot be read';
  return quoted(error instanceof Error ? error.message : String(error));
}

function emptyLike(error: Error): Error {
  if (error instanceof RangeError) return new RangeError();
  return error instanceof ReferenceError ? new ReferenceError() : new TypeError();
}
