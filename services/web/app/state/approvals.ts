import type { Approval } from '@stopgo/client';
import { useEffect, useState } from 'react';
import { platform } from '../api/platform.ts';
import { wordsOf } from '../api/words.ts';
import { hear, heard, onApprovalChange, onConnected } from './live.ts';
import { useStore } from './store.ts';

/** What the inbox shows. */
export type Inbox = {
  readonly approvals: readonly Approval[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly problem?: string;
  readonly more: () => void;
};

const pageItems = 100;

/** The approvals that a query of the list's own parameters narrows to, each as it was heard of last. */
export function useInbox(query: string): Inbox {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [shown, setShown] = useState<{ isLoading: boolean; hasMore: boolean; problem?: string }>({
    isLoading: true,
    hasMore: false,
  });
  const [pages, setPages] = useState(1);
  const known = useStore(heard);
  useEffect(() => {
    const ended = new AbortController();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      const filter = Object.fromEntries(new URLSearchParams(query));
      try {
        const page = await platform.approvals.list({ ...filter, limit: pages * pageItems }, { signal: ended.signal });
        hear(page.approvals);
        setIds(page.approvals.map(({ uuid }) => uuid));
        setShown({ isLoading: false, hasMore: page.next_cursor !== undefined });
      } catch (error) {
        if (!ended.signal.aborted) setShown((before) => ({ ...before, isLoading: false, problem: wordsOf(error) }));
      }
    };
    const soon = (ms: number): void => {
      clearTimeout(waiting);
      waiting = setTimeout(() => void load(), ms);
    };
    soon(0);
    // What was asked for just now joins the list; what was decided stays where it is until the list is opened anew.
    const ends = [
      onConnected(() => soon(0)),
      onApprovalChange(({ change }) => {
        if (change === 'asked' || change === 'edited') soon(120);
      }),
    ];
    return () => {
      ended.abort();
      clearTimeout(waiting);
      for (const end of ends) end();
    };
  }, [query, pages]);
  const approvals = ids.flatMap((id) => known.get(id) ?? []);
  return { ...shown, approvals, more: () => setPages((before) => before + 1) };
}

/** One approval, as it was heard of last; it is asked for where nothing was heard. */
export function useApproval(id: string | undefined): { readonly approval?: Approval; readonly problem?: string } {
  const known = useStore(heard);
  const [problem, setProblem] = useState<{ id: string; words: string }>();
  const approval = id === undefined ? undefined : known.get(id);
  const isMissing = id !== undefined && approval === undefined;
  useEffect(() => {
    if (!isMissing || id === undefined) return;
    const ended = new AbortController();
    platform.approvals.get(id, { signal: ended.signal }).then(
      (answer) => hear([answer]),
      (error) => {
        if (!ended.signal.aborted) setProblem({ id, words: wordsOf(error) });
      },
    );
    return () => ended.abort();
  }, [id, isMissing]);
  return {
    ...(approval === undefined ? {} : { approval }),
    ...(problem?.id === id ? { problem: problem?.words } : {}),
  };
}
