import type { Approval } from '@stopgo/client';
import { useEffect, useRef, useState } from 'react';
import { platform } from '../api/platform.ts';
import { wordsOf } from '../api/words.ts';
import { hear, heard, onApprovalChange, onConnected } from './live.ts';
import { useStore } from './store.ts';

/** What the inbox shows. */
export type Inbox = {
  /** In the pages that they were asked for in. A page in which nothing changed is the same object as before. */
  readonly pages: readonly (readonly Approval[])[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly problem?: string;
  readonly more: () => void;
};

/** A page of the list: where it begins, and where the next one does, if there is one. */
type Page = {
  readonly cursor: string | undefined;
  readonly next: string | undefined;
  readonly approvals: readonly Approval[];
};

type Loaded = { readonly pages: readonly Page[]; readonly isLoading: boolean; readonly problem?: string };

const pageItems = 100;
/** Changes of so long are looked at together, in milliseconds. */
const soonMs = 120;

/** The approvals that a query of the list's own parameters narrows to, each as it was heard of last. */
export function useInbox(query: string): Inbox {
  const [loaded, setLoaded] = useState<Loaded>({ pages: [], isLoading: true });
  const more = useRef<() => void>(() => undefined);
  const known = useStore(heard);
  useEffect(() => {
    const list = inboxOf(query, setLoaded);
    more.current = list.more;
    return list.end;
  }, [query]);
  const shown = useRef(new WeakMap<Page, readonly Approval[]>());
  const pages = loaded.pages.map((page) => {
    const before = shown.current.get(page) ?? page.approvals;
    const now = before.map((one) => known.get(one.uuid) ?? one);
    const latest = now.every((one, index) => one === before[index]) ? before : now;
    shown.current.set(page, latest);
    return latest;
  });
  const { isLoading, problem } = loaded;
  return {
    ...{ pages, isLoading, hasMore: loaded.pages.at(-1)?.next !== undefined, more: () => more.current() },
    ...(problem === undefined ? {} : { problem }),
  };
}

/**
 * Keeps the pages of a list, and tells `show` of them until `end` is called. The oldest approvals come first: what is asked for joins the last
 * page, so nothing is asked for again where there are more to show, however many wait. What was decided stays where it is until its page
 * is asked for again.
 */
export function inboxOf(query: string, show: (loaded: Loaded) => void) {
  const ended = new AbortController();
  const filter = Object.fromEntries(new URLSearchParams(query));
  let pages: readonly Page[] = [];
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let isAll = false;
  // One question after the other: each is for what the one before it has left.
  let last = Promise.resolve();
  const inTurn = (work: () => Promise<void>): void => {
    last = last.then(work).then(
      () => show({ pages, isLoading: false }),
      (error: unknown) => {
        if (!ended.signal.aborted) show({ pages, isLoading: false, problem: wordsOf(error) });
      },
    );
  };
  const load = async (cursor: string | undefined): Promise<Page> => {
    const page = await platform.approvals.list(
      { ...filter, limit: pageItems, ...(cursor === undefined ? {} : { cursor }) },
      { signal: ended.signal },
    );
    hear(page.approvals);
    return { cursor, next: page.next_cursor, approvals: page.approvals };
  };
  const loadAll = async (): Promise<void> => {
    const next = [await load(undefined)];
    while (next.length < pages.length) {
      const cursor = next.at(-1)?.next;
      if (cursor === undefined) break;
      next.push(await load(cursor));
    }
    pages = next;
  };
  const loadLast = async (): Promise<void> => {
    const before = pages.at(-1);
    if (before === undefined) pages = [await load(undefined)];
    else if (before.next === undefined) pages = [...pages.slice(0, -1), await load(before.cursor)];
  };
  const soon = (ms: number): void => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      inTurn(isAll ? loadAll : loadLast);
      isAll = false;
    }, ms);
  };
  const allSoon = (ms: number): void => {
    isAll = true;
    soon(ms);
  };
  allSoon(0);
  const ends = [
    onConnected(() => allSoon(0)),
    onApprovalChange(({ change, approval: { uuid } }) => {
      if (change === 'asked' || change === 'edited') soon(soonMs);
      // Whom it asks has changed: it may belong to the list now, wherever in it.
      const isListed = pages.some(({ approvals }) => approvals.some((one) => one.uuid === uuid));
      if ((change === 'escalated' || change === 'assigned') && !isListed) allSoon(soonMs);
    }),
  ];
  return {
    more: (): void =>
      inTurn(async () => {
        const cursor = pages.at(-1)?.next;
        if (cursor !== undefined) pages = [...pages, await load(cursor)];
      }),
    end: (): void => {
      ended.abort();
      clearTimeout(waiting);
      for (const end of ends) end();
    },
  };
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
