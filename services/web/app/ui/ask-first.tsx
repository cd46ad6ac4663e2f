import { OutcomeUnknown } from '@stopgo/client';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { wordsOf } from '../api/words.ts';

/** What somebody is told of a change that did not work, or of which nobody knows: such a change has no key under which it is done once. */
export const changeProblem = (error: unknown): string =>
  error instanceof OutcomeUnknown
    ? 'The platform does not answer. Look whether it was done before you do it again.'
    : wordsOf(error);

/** A button that says first what it does, and does it once that is confirmed. Escape goes back. What went wrong is told in its place. */
export function AskFirst(given: {
  readonly label: ReactNode;
  /** What the button is called where several look alike. */
  readonly name?: string;
  readonly tone: 'go' | 'stop' | 'quiet';
  /** What will happen, in whole sentences. */
  readonly means: ReactNode;
  /** The words of the button that does it. */
  readonly yes: string;
  readonly onYes: () => Promise<void>;
}) {
  const { label, name, tone, means, yes, onYes } = given;
  const [isAsking, setAsking] = useState(false);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking) form.current?.querySelector('button')?.focus();
  }, [isAsking]);
  const back = () => {
    setAsking(false);
    requestAnimationFrame(() => first.current?.focus());
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    setProblem('');
    try {
      await onYes();
      setAsking(false);
    } catch (error) {
      setProblem(changeProblem(error));
    } finally {
      setSending(false);
    }
  };
  if (!isAsking)
    return (
      <Button
        ref={first}
        className={`button ${tone}`}
        {...(name === undefined ? {} : { 'aria-label': name })}
        onPress={() => setAsking(true)}
      >
        {label}
      </Button>
    );
  return (
    <form
      ref={form}
      className={`confirm ${tone === 'go' ? 'go' : 'stop'}`}
      onSubmit={(event) => void send(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        back();
      }}
    >
      <div id={id} className="confirm-means">
        {means}
      </div>
      <p role="alert" className="problem">
        {problem}
      </p>
      <div className="buttons">
        <Button
          type="submit"
          className={`button ${tone === 'go' ? 'go' : 'stop'}`}
          aria-describedby={id}
          isDisabled={isSending}
        >
          {isSending ? 'Sending…' : yes}
        </Button>
        <Button className="button quiet" onPress={back}>
          Not yet
        </Button>
      </div>
    </form>
  );
}
