import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../decide/gateway-error.ts';

/** How long a platform is waited for; times are in milliseconds. */
export type Patience = {
  /** How often one that is away is asked, and the pause between. */
  readonly triesMax: number;
  readonly pauseMs: number;
  /** Longest time between two looks at a run that goes on: what it waits for may change without an event. */
  readonly lookMs: number;
};

export const usualPatience: Patience = { triesMax: 60, pauseMs: 1_000, lookMs: 2_000 };

/**
 * Asks again while the platform is away, and tells so once. A request may be taken more than once, so that it has to be one that does no
 * harm twice.
 *
 * @param ask asks once.
 * @param mayHelp whether another try is wanted after that error, which may pass, of so many tries.
 * @returns undefined if the human has left.
 * @throws the error of the last try. Its outcome is `unknown` if that of any try was: what the last one met says nothing of those before.
 */
export async function askedPatiently<T>(
  ask: () => Promise<T>,
  mayHelp: (error: GatewayError, tries: number) => boolean,
  tell: (line: string) => void,
  left: AbortSignal,
  { triesMax, pauseMs }: Patience,
): Promise<T | undefined> {
  let isUnknown = false;
  for (let tries = 1; !left.aborted; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (left.aborted) return undefined;
      if (!(error instanceof GatewayError)) throw error;
      isUnknown ||= error.outcome === 'unknown';
      if (!error.mayPass || tries >= triesMax || !mayHelp(error, tries))
        throw isUnknown ? new GatewayError(error.message, 'unknown', error.mayPass) : error;
      if (tries === 1) tell(`${error.message}; trying again`);
      await pause(pauseMs, undefined, { signal: left }).catch(() => undefined);
    }
  }
  return undefined;
}
