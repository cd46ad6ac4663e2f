import type { Request } from 'express';

/** What a client asked for with `Prefer` (RFC 7240). What is not understood is ignored, as the RFC wants. */
export type Preferences = {
  /** `respond-async`: answer before the run is done. */
  readonly respondAsync: boolean;
  /** `wait=N`: how long to wait for the run, in seconds. */
  readonly waitSeconds?: number;
  /** `return=minimal`: leave the messages out. */
  readonly minimal: boolean;
};

const nothingPreferred: Preferences = { respondAsync: false, minimal: false };

const seconds = /^\d{1,6}$/;

/** Reads the `Prefer` header. Of a preference that is given twice the first counts. */
export function preferencesOf(req: Request): Preferences {
  const header = req.get('prefer');
  if (header === undefined) return nothingPreferred;
  const given = new Map<string, string>();
  for (const part of header.split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map((side) => side.trim().toLowerCase());
    if (name !== '' && !given.has(name)) given.set(name, value.replace(/^"(.*)"$/, '$1'));
  }
  const wait = given.get('wait');
  return {
    respondAsync: given.has('respond-async'),
    ...(wait !== undefined && seconds.test(wait) ? { waitSeconds: Number(wait) } : {}),
    minimal: given.get('return') === 'minimal',
  };
}

/** How long to wait for a run, in milliseconds: never longer than `syncWaitMs`; not at all if that was preferred. */
export function waitMsOf(preferences: Preferences, syncWaitMs: number): number {
  const { respondAsync, waitSeconds } = preferences;
  if (waitSeconds !== undefined) return Math.min(waitSeconds * 1000, syncWaitMs);
  return respondAsync ? 0 : syncWaitMs;
}

/**
 * The value of `Preference-Applied`; empty if there is nothing to say. A wait that was cut short shows how long it was,
 * in whole seconds, rounded up: the run is not waited for any longer.
 */
export function preferencesApplied(
  preferences: Preferences,
  answer: { readonly async: boolean; readonly waitMs?: number },
): string {
  return [
    ...(preferences.respondAsync && answer.async ? ['respond-async'] : []),
    ...(preferences.waitSeconds === undefined || answer.waitMs === undefined
      ? []
      : [`wait=${Math.ceil(answer.waitMs / 1000)}`]),
    ...(preferences.minimal ? ['return=minimal'] : []),
  ].join(', ');
}
