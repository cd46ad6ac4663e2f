import { isDefect } from '../is-defect.ts';
import { quoted } from './protocol-error.ts';

/** How the client library begins to say what it cannot read; the first hundred characters of that follow. */
const unreadableEvent = /^Failed to parse SSE event data/;

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
  const words = error instanceof Error ? error.message : String(error);
  // The runtime shows a piece of what is no JSON, the client library one of an event: half of a token may be in it.
  if (error instanceof SyntaxError || unreadableEvent.test(words)) return 'the answer cannot be read';
  return quoted(words);
}

function emptyLike(error: Error): Error {
  if (error instanceof RangeError) return new RangeError();
  return error instanceof ReferenceError ? new ReferenceError() : new TypeError();
}
