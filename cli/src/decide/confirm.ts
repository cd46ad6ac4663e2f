import { linesOf } from '../lines.ts';

/** Asks for a yes; anything else is a no. */
export type Confirm = (question: string) => Promise<boolean>;

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>;

/**
 * Asks on the terminal, below what is shown there; undefined if there is none, so that nobody could answer. What was typed before the
 * question is no answer to it (decision 0058).
 *
 * @param read as for `linesOf`.
 */
export function confirmOn(streams: Streams, read?: () => Promise<unknown>): Confirm | undefined {
  if (streams.stdin.isTTY !== true || streams.stdout.isTTY !== true) return undefined;
  return async (question) => {
    const lines = linesOf(streams, read);
    try {
      return /^\s*y(es)?\s*$/i.test((await lines.nextFromNow(`${question} [y/N] `)) ?? '');
    } finally {
      lines.close();
    }
  };
}
