import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { Block } from '../ui/text.tsx';
import { Groups, Writing } from './items.tsx';
import type { Item, Transcript } from './transcript.ts';

/** So close to the end, in pixels, somebody follows what is written. */
const nearEnd = 120;

type Sending = { readonly text: string; readonly problem?: string };

/** What was said and done, with what is being written now at its end. */
export function Log(given: {
  readonly transcript: Transcript;
  readonly sending: Sending | undefined;
  readonly onRetry: () => void;
  readonly children: ReactNode;
}) {
  const { transcript, sending, onRetry, children } = given;
  const { items, calls, agents, questions, writing } = transcript;
  const parts = { calls, agents, questions, writing };
  const box = useRef<HTMLDivElement>(null);
  const [isBehind, setBehind] = useState(false);
  const follows = useRef(true);
  const atEnd = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    return scrollHeight - scrollTop - clientHeight < nearEnd;
  };
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });
  // Whoever reads further up is left there.
  useLayoutEffect(() => {
    if (follows.current) toEnd();
    else setBehind(!atEnd());
  });
  useEffect(() => {
    const inner = box.current?.firstElementChild;
    if (inner === null || inner === undefined) return;
    const watch = new ResizeObserver(() => {
      if (follows.current) box.current?.scrollTo({ top: box.current.scrollHeight });
    });
    watch.observe(inner);
    return () => watch.disconnect();
  }, []);
  const told = toldOf(items);
  return (
    <section
      ref={box}
      className="log"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
      tabIndex={0}
      onScroll={() => {
        follows.current = atEnd();
        setBehind(!follows.current);
      }}
    >
      <div className="log-inner">
        <Groups items={items} parts={parts} />
        <ol className="items">
          <Writing writing={writing} />
          {sending === undefined ? null : (
            <li className="item user is-sending">
              <div className="bubble">
                <Block text={sending.text} />
              </div>
              {sending.problem === undefined ? null : (
                <p role="alert" className="problem">
                  {sending.problem}{' '}
                  <Button className="link-button" onPress={onRetry}>
                    Send it again
                  </Button>
                </p>
              )}
            </li>
          )}
        </ol>
        {children}
        <p className="visually-hidden" aria-live="polite">
          {told}
        </p>
      </div>
      {isBehind ? (
        <Button
          className="to-end"
          onPress={() => {
            follows.current = true;
            toEnd();
          }}
        >
          To the end
        </Button>
      ) : null}
    </section>
  );
}

/** What somebody who does not see the page is told, once an answer is whole. */
const toldOf = (items: readonly Item[]): string => {
  const last = items.at(-1);
  return last?.kind === 'said' && last.by === 'agent' ? 'The agent has answered.' : '';
};
