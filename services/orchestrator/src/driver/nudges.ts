import { setMaxListeners } from 'node:events';
import type { Clock } from '@stopgo/log';

/** The least pause between two looks at one task that were asked for from outside, in milliseconds. */
const nudgePauseMs = 1_000;
/** Tasks that are looked at, or were a moment ago; whoever asks for more is not heard. */
const nudgedMax = 1_024;

/** Has a task looked at. Rejects as it likes. */
export type LookAt = (conversationId: string, messageId: string) => Promise<unknown>;

export type NudgePorts = {
  readonly clock: Clock;
  /** Aborts when nobody is to look any more. */
  readonly signal: AbortSignal;
  readonly onFault: (error: unknown, where: string) => void;
};

/**
 * Looks that others ask for: of one task one at a time, and one a second, however often it is asked for. What is asked for during
 * a look, or too soon after one, leads to one more.
 */
export class Nudges {
  private readonly lookAt: LookAt;
  private readonly ports: NudgePorts;
  /** By conversation and message: whether it was asked for again. */
  private readonly looking = new Map<string, { isAgain: boolean }>();

  constructor(lookAt: LookAt, ports: NudgePorts) {
    this.lookAt = lookAt;
    this.ports = ports;
    // Each look that pauses listens to it until its pause is over: as many as there are looks, and no leak.
    setMaxListeners(0, ports.signal);
  }

  /** Asks for a look, and does not wait for it. */
  nudge(conversationId: string, messageId: string): void {
    const key = `${conversationId} ${messageId}`;
    const known = this.looking.get(key);
    if (known !== undefined) known.isAgain = true;
    else if (this.looking.size < nudgedMax && !this.ports.signal.aborted)
      void this.look(key, conversationId, messageId);
  }

  private async look(key: string, conversationId: string, messageId: string): Promise<void> {
    const asked = { isAgain: false };
    this.looking.set(key, asked);
    const { clock, signal, onFault } = this.ports;
    do {
      asked.isAgain = false;
      await this.lookAt(conversationId, messageId).catch((error: unknown) =>
        onFault(error, `looking at a task of conversation ${conversationId}`),
      );
      await clock.sleep(nudgePauseMs, signal).catch(() => undefined);
    } while (asked.isAgain && !signal.aborted);
    this.looking.delete(key);
  }
}
