import type { Retries, Sent } from '@stopgo/client';
import { askGateway } from '../decide/gateway.ts';
import { GatewayError, gatewayErrorOf } from '../decide/gateway-error.ts';

/** How long a platform is waited for; times are in milliseconds. */
export type Patience = {
  /** How often one that is away is asked, and the pause between. */
  readonly triesMax: number;
  readonly pauseMs: number;
  /** Longest time between two looks at a run that goes on: what it waits for may change without an event. */
  readonly lookMs: number;
};

export const usualPatience: Patience = { triesMax: 60, pauseMs: 1_000, lookMs: 2_000 };

/** What goes with a request that waits for a platform that is away. */
export type Waiting = {
  /** Whether another try is wanted after that error, which may pass, of so many tries. */
  readonly mayHelp: (error: GatewayError, tries: number) => boolean;
  /** Told once that it is tried again. */
  readonly tell: (line: string) => void;
  readonly left: AbortSignal;
  readonly patience: Patience;
};

/**
 * Asks again while the platform is away, under one key, and tells so once.
 *
 * @returns undefined if the human has left.
 * @throws the error of the last try. Its outcome is `unknown` if that of any try was: what the last one met says nothing of those before.
 */
export async function askedPatiently(
  url: string,
  path: string,
  sent: Sent,
  { mayHelp, tell, left, patience }: Waiting,
): Promise<object | undefined> {
  let isUnknown = false;
  const mayRetry = (problem: unknown, tries: number): boolean => {
    const error = gatewayErrorOf(url, problem) as GatewayError;
    isUnknown ||= error.outcome === 'unknown';
    if (!mayHelp(error, tries)) return false;
    if (tries === 1) tell(`${error.message}; trying again`);
    return true;
  };
  try {
    return await askGateway(url, path, { ...sent, signal: left, retries: retriesOf(patience), mayRetry });
  } catch (error) {
    if (left.aborted) return undefined;
    if (isUnknown && error instanceof GatewayError) throw new GatewayError(error.message, 'unknown', error.mayPass);
    throw error;
  }
}

/** The same as the client has it. */
export const retriesOf = ({ triesMax, pauseMs }: Pick<Patience, 'triesMax' | 'pauseMs'>): Retries => ({
  triesMax,
  firstPauseMs: pauseMs,
  pauseMsMax: pauseMs,
  totalMs: Number.POSITIVE_INFINITY,
});
