import { conversationStream } from '@stopgo/core';
import type { DriverPorts } from '../handle/ports.ts';

/**
 * How long a run is driven before its stream is followed for what others append, in milliseconds. A stream that is given up
 * costs more than one that never was: most runs that ask nobody outside are over by then.
 */
const followAfterMs = 1_000;
/** Pause before a follow that broke off is begun again, in milliseconds. */
const followPauseMs = 500;

/**
 * Follows a conversation's stream until the signal aborts, and tells of each event that is not known yet, so that decisions
 * and cancels made elsewhere reach the driver. A run that is over at once is not followed. Never rejects.
 */
export async function followFrom(
  { clock, log }: DriverPorts,
  conversationId: string,
  knownRevision: () => number,
  onNews: () => void,
  signal: AbortSignal,
): Promise<void> {
  for (let pauseMs = followAfterMs; !signal.aborted; pauseMs = followPauseMs) {
    try {
      await clock.sleep(pauseMs, signal);
      const events = log.follow(conversationStream(conversationId), knownRevision() + 1, signal);
      for await (const event of events) if (event.revision > knownRevision()) onNews();
    } catch {
      // What was missed is read when the follow begins again.
    }
  }
}
