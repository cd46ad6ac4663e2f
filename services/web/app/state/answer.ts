import { useEffect, useState } from 'react';
import { ask, wordsOf } from '../api/client.ts';
import { onConnected } from './live.ts';

/** What the platform answers at a path, as it is now. */
export type Answered<Value> = {
  /** The last answer. It stays while a newer one is asked for, and if that fails. */
  readonly value: Value | undefined;
  /** Why there is no newer answer, in words. */
  readonly problem: string | undefined;
  readonly isLoading: boolean;
  /** Asks again now. */
  readonly again: () => void;
};

/**
 * Asks the platform at `path`, and again when the connection is back, when `again` is called, and every `everyMs` milliseconds while the
 * page is looked at. Undefined as a path asks nothing.
 */
export function useAnswer<Value>(path: string | undefined, everyMs?: number): Answered<Value> {
  const [shown, setShown] = useState<{ path?: string; value?: Value; problem?: string; isLoading: boolean }>({
    isLoading: path !== undefined,
  });
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` counts how often somebody asked for a newer one
  useEffect(() => {
    if (path === undefined) return undefined;
    const ended = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const value = await ask<Value>(path, { signal: ended.signal });
        if (!ended.signal.aborted) setShown({ path, value, isLoading: false });
      } catch (error) {
        if (ended.signal.aborted) return;
        const problem = wordsOf(error);
        setShown((before) => ({ ...(before.path === path ? before : {}), path, problem, isLoading: false }));
      }
    };
    void load();
    const end = onConnected(() => void load());
    const timer =
      everyMs === undefined
        ? undefined
        : setInterval(() => {
            if (document.visibilityState === 'visible') void load();
          }, everyMs);
    return () => {
      ended.abort();
      end();
      clearInterval(timer);
    };
  }, [path, everyMs, tries]);
  const isOfPath = shown.path === path;
  return {
    value: isOfPath ? shown.value : undefined,
    problem: isOfPath ? shown.problem : undefined,
    isLoading: path !== undefined && (!isOfPath || shown.isLoading),
    again: () => setTries((before) => before + 1),
  };
}
