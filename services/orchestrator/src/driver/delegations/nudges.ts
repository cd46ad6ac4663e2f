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
  /** One for each look that pauses: the signal of the ports is shared with others, and is listened to once. */
  private readonly pauses = new Set<AbortController>();

  constructor(lookAt: LookAt, ports: NudgePorts) {
    this.lookAt = lookAt;
    this.ports = ports;
    const endPauses = (): void => {
      for (const pause of this.pauses) pause.abort();
    };
    ports.signal.addEventListener('abort', endPauses, { once: true });
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
    const { signal, onFault } = this.ports;
    do {
      asked.isAgain = false;
      await this.lookAt(conversationId, messageId).catch((error: unknown) =>
        onFault(error, `looking at a task of conversation ${conversationId}`),
      );
      if (!signal.aborted) await this.pause();
    } while (asked.isAgain && !signal.aborted);
    this.looking.delete(key);
  }

  /** Ends after the pause, or when nobody is to look any more. */
  private async pause(): Promise<void> {
    const over = new AbortController();
    this.pauses.add(over);
    await this.ports.clock.sleep(nudgePauseMs, over.signal).catch(() => undefined);
    this.pauses.delete(over);
  }
}
