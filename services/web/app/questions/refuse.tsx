import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Question } from './question.ts';
import { refusalMeans } from './words.ts';

type Refusal = 'decline' | 'cancel';

/** The buttons below a question. What gives no answer is said in words first, and done with one more press. */
export function Refuse(given: {
  readonly question: Question;
  readonly isSending: boolean;
  readonly onRefuse: (action: Refusal) => void;
  /** The buttons that answer. */
  readonly children: ReactNode;
}) {
  const { question, isSending, onRefuse, children } = given;
  const [asked, setAsked] = useState<Refusal>();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asked !== undefined) box.current?.querySelector('button')?.focus();
  }, [asked]);
  const names = {
    decline: question.isOptional ? 'Leave it out' : 'Decline',
    cancel: 'Close without an answer',
  } as const;
  if (asked === undefined)
    return (
      <div className="buttons">
        {children}
        <Button className="button" isDisabled={isSending} onPress={() => setAsked('decline')}>
          {names.decline}
        </Button>
        <Button className="button quiet" isDisabled={isSending} onPress={() => setAsked('cancel')}>
          {names.cancel}
        </Button>
      </div>
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves it from wherever the keyboard is inside
    <div
      ref={box}
      className="confirm"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        setAsked(undefined);
      }}
    >
      <p>{refusalMeans(question, asked)}</p>
      <div className="buttons">
        <Button className="button" isDisabled={isSending} onPress={() => onRefuse(asked)}>
          {isSending ? 'Sending…' : `Yes, ${names[asked].toLowerCase()}`}
        </Button>
        <Button className="button quiet" onPress={() => setAsked(undefined)}>
          Not yet
        </Button>
      </div>
    </div>
  );
}
