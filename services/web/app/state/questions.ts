import { useEffect, useState } from 'react';
import { type LogEvent, readable } from '../api/payload.ts';
import { platform } from '../api/platform.ts';
import { watchStream } from '../api/watch.ts';
import { wordsOf } from '../api/words.ts';
import { nameOf } from '../chat/transcript.ts';
import { type Asked, outcomeIn, type Question, questionOf } from '../questions/question.ts';
import { onApprovalChange, onConnected } from './live.ts';
import { mustSignIn } from './session.ts';
import { Store } from './store.ts';

// What tool servers and agents ask people, over all conversations. The platform has no stream of that, so it is asked for: often while
// somebody looks at the page, and at once when something was done here.

/** How many questions wait; undefined: not known. */
export const questionsWaiting = new Store<number | undefined>(undefined);

/** How often it is asked for while the page is looked at, in milliseconds. */
const everyMs = 4_000;
/** Changes of so long are looked at together, in milliseconds. */
const soonMs = 150;
const pageItems = 100;
const changed = new Set<() => void>();

/** Something was done that may have changed what is asked. */
export function questionsChanged(): void {
  for (const tell of changed) tell();
}

/** Has it be told now, when something may have changed, and from time to time. Gives what ends that. */
function whenever(load: () => void): () => void {
  load();
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') load();
  }, everyMs);
  changed.add(load);
  // Many approvals may change at once.
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(load, soonMs);
  };
  const ends = [onConnected(load), onApprovalChange(soon)];
  return () => {
    clearTimeout(waiting);
    clearInterval(timer);
    changed.delete(load);
    for (const end of ends) end();
  };
}

/** Keeps the number of questions that wait. Gives what ends that. */
export function countQuestions(): () => void {
  return whenever(() => {
    // Nobody is told how many there are before it is known who asks.
    if (mustSignIn()) return;
    platform.call('GET /inputs', { query: { limit: 1 } }).then(
      ({ total }) => questionsWaiting.set(total),
      () => undefined,
    );
  });
}

/** The questions that wait, the longest first. */
export type Listed = {
  readonly questions: readonly Question[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly problem?: string;
  readonly more: () => void;
};

export function useQuestions(): Listed {
  const [shown, setShown] = useState<Omit<Listed, 'more'>>({ questions: [], isLoading: true, hasMore: false });
  const [pages, setPages] = useState(1);
  useEffect(() => {
    const ended = new AbortController();
    let isAsking = false;
    const load = async (): Promise<void> => {
      if (isAsking) return;
      isAsking = true;
      try {
        const page = await platform.call('GET /inputs', {
          ...{ query: { limit: pages * pageItems }, signal: ended.signal },
        });
        questionsWaiting.set(page.total);
        setShown({
          ...{ questions: page.inputs.map(questionOf), isLoading: false, hasMore: page.next_cursor !== undefined },
        });
      } catch (error) {
        if (!ended.signal.aborted) setShown((before) => ({ ...before, isLoading: false, problem: wordsOf(error) }));
      } finally {
        isAsking = false;
      }
    };
    const end = whenever(() => void load());
    return () => {
      ended.abort();
      end();
    };
  }, [pages]);
  return { ...shown, more: () => setPages((before) => before + 1) };
}

/** Events that end a run, and with it all that is asked in it. */
const ends = ['run_completed', 'run_failed', 'run_canceled'];

/** One question and what becomes of it, by the record of its conversation from now on. */
export function useQuestion(conversation: string | undefined, id: string | undefined) {
  const [shown, setShown] = useState<{ readonly of?: string; readonly asked?: Asked; readonly problem?: string }>({});
  useEffect(() => {
    if (conversation === undefined || id === undefined) return undefined;
    const ended = new AbortController();
    let endStream: (() => void) | undefined;
    let isBeginning = false;
    const settle = (outcome: NonNullable<Asked['outcome']>, isLast = false) => {
      setShown((before) => {
        const { of, asked } = before;
        // An answer stays what it was when its run ends.
        if (of !== id || asked === undefined || (isLast && asked.outcome !== undefined)) return before;
        return { of, asked: { ...asked, outcome } };
      });
    };
    const take = (event: LogEvent) => {
      const { type, payload, time, actor } = event;
      if (ends.includes(type)) settle({ how: 'withdrawn', at: time, why: 'the run has ended' }, true);
      if (payload.input_id !== id) return;
      if (type === 'input_provided') settle(outcomeIn(event, nameOf(actor)));
      if (type === 'input_withdrawn') settle({ how: 'withdrawn', at: time, why: String(payload.reason ?? '') });
    };
    const begin = async (): Promise<void> => {
      if (isBeginning || endStream !== undefined) return;
      isBeginning = true;
      const sent = { prefer: 'return=minimal', signal: ended.signal };
      try {
        const head = await platform.conversations.get(conversation, {}, sent);
        if (ended.signal.aborted) return;
        const input = head.pending_inputs?.find((one) => one.id === id);
        if (input === undefined) {
          setShown({ of: id, problem: 'This question waits for no answer any more.' });
          return;
        }
        setShown({ of: id, asked: { question: questionOf(input) } });
        endStream = watchStream({
          open: (options) => platform.conversations.events(conversation, { ...options, after: head.revision }),
          take: (news) => {
            if (news.kind === 'event') take(readable(news.event));
          },
        });
      } catch (error) {
        if (!ended.signal.aborted) setShown({ of: id, problem: wordsOf(error) });
      } finally {
        isBeginning = false;
      }
    };
    void begin();
    const end = onConnected(() => void begin());
    return () => {
      ended.abort();
      end();
      endStream?.();
    };
  }, [conversation, id]);
  return shown.of === id ? shown : {};
}
