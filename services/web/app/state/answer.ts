import { ApiError } from '@stopgo/client';
import { useEffect, useState } from 'react';
import { platform } from '../api/platform.ts';
import { wordsOf } from '../api/words.ts';
import { onConnected } from './live.ts';

/** What the platform answers at a path, as it is now. */
export type Answered<Value> = {
  /** The last answer. It stays while a newer one is asked for, and if that fails. */
  readonly value: Value | undefined;
  /** Why there is no newer answer, in words. */
  readonly problem: string | undefined;
  /** The status of an answer that says that it did not work; undefined if it did, or nobody answered. */
  readonly status: number | undefined;
  readonly isLoading: boolean;
  /** Asks again now. */
  readonly again: () => void;
};

type Shown<Value> = {
  readonly path?: string;
  readonly value?: Value;
  readonly problem?: string;
  readonly status?: number;
  readonly isLoading: boolean;
};

/**
 * Asks the platform at `path`, and again when the connection is back, when `again` is called, and every `everyMs` milliseconds while the
 * page is looked at. Undefined as a path asks nothing.
 */
export function useAnswer<Value>(path: string | undefined, everyMs?: number): Answered<Value> {
  const [shown, setShown] = useState<Shown<Value>>({
    isLoading: path !== undefined,
  });
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` counts how often somebody asked for a newer one
  useEffect(() => {
    if (path === undefined) return undefined;
    const ended = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const value = await platform.connection.ask<Value>(path, { signal: ended.signal });
        if (!ended.signal.aborted) setShown({ path, value, isLoading: false });
      } catch (error) {
        if (ended.signal.aborted) return;
        const told = { problem: wordsOf(error), status: error instanceof ApiError ? error.status : undefined };
        setShown((before) => ({ ...(before.path === path ? before : {}), path, ...told, isLoading: false }));
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
    status: isOfPath ? shown.status : undefined,
    isLoading: path !== undefined && (!isOfPath || shown.isLoading),
    again: () => setTries((before) => before + 1),
  };
}
