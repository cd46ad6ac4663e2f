import { NotReached, OutcomeUnknown } from '@stopgo/client';

/** What a person is told of an error. */
export function wordsOf(error: unknown): string {
  if (error instanceof OutcomeUnknown)
    return 'The platform does not answer. It may be restarting. What you sent may have been taken: sending it again is safe, it is done only once.';
  if (error instanceof NotReached) return 'The platform does not answer. It may be restarting.';
  const text = error instanceof Error ? error.message : String(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;
}
