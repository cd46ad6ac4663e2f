import type { Conversation } from '@stopgo/client';
import { useEffect, useState } from 'react';
import { platform } from '../api/platform.ts';
import { wordsOf } from '../api/words.ts';
import { onApprovalChange, onConnected } from './live.ts';

/** The list of conversations, the newest first, of those that hold the words. */
export type Listed = {
  readonly conversations: readonly Conversation[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly problem?: string;
  readonly more: () => void;
};

const pageItems = 50;
/** Typing is over when nothing was typed for so long, in milliseconds. */
const typingMs = 200;
/** How often the list is asked for anew while it is looked at, in milliseconds. */
const refreshMs = 15_000;

const changed = new Set<() => void>();
/** Something was done that the list shows. */
export const listChanged = (): void => {
  for (const tell of changed) tell();
};

export function useConversations(words: string): Listed {
  const [shown, setShown] = useState<Omit<Listed, 'more'>>({ conversations: [], isLoading: true, hasMore: false });
  const [pages, setPages] = useState(1);
  useEffect(() => {
    const ended = new AbortController();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        const page = await platform.conversations.list(queryOf(words.trim(), pages * pageItems), {
          signal: ended.signal,
        });
        setShown({ conversations: page.conversations, isLoading: false, hasMore: page.next_cursor !== undefined });
      } catch (error) {
        if (!ended.signal.aborted) setShown((before) => ({ ...before, isLoading: false, problem: wordsOf(error) }));
      }
    };
    const soon = (ms = 100): void => {
      clearTimeout(waiting);
      waiting = setTimeout(() => void load(), ms);
    };
    soon(words === '' ? 0 : typingMs);
    const again = () => soon();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again();
    }, refreshMs);
    changed.add(again);
    const ends = [onConnected(again), onApprovalChange(again)];
    return () => {
      ended.abort();
      clearTimeout(waiting);
      clearInterval(timer);
      changed.delete(again);
      for (const end of ends) end();
    };
  }, [words, pages]);
  return { ...shown, more: () => setPages((before) => before + 1) };
}

const queryOf = (q: string, limit: number) => ({ limit, ...(q === '' ? {} : { q }) });
