import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Decision } from './decide.ts';
import type { Choice } from './words.ts';

/** Asks once more, and for what goes along with the decision. Enter confirms, Escape goes back. */
export function Confirm(given: {
  readonly choice: Choice;
  readonly isSending: boolean;
  readonly onConfirm: (decision: Decision) => void;
  readonly onCancel: () => void;
}) {
  const { choice, isSending, onConfirm, onCancel } = given;
  const [text, setText] = useState('');
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('textarea, button')?.focus();
  }, []);
  const { wants } = choice;
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    const said =
      wants === 'result' ? { result: text } : wants === 'reason' && text.trim() !== '' ? { reason: text } : {};
    onConfirm({ action: choice.action, ...said });
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: Escape leaves it from wherever the keyboard is inside
    <form
      ref={form}
      className={`confirm ${choice.tone}`}
      onSubmit={confirm}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          // It leaves the question only, and not the page around it.
          event.preventDefault();
          onCancel();
        }
        if (event.key !== 'Enter' || event.shiftKey || !(event.target instanceof HTMLTextAreaElement)) return;
        if (!event.nativeEvent.isComposing) confirm(event);
      }}
    >
      <p id={id} className="confirm-means">
        {choice.means}
      </p>
      {wants === undefined ? null : (
        <label className="field">
          {wants === 'reason' ? 'Why? The agent is told (you may leave it empty)' : 'What came of it, as you know it'}
          <textarea rows={2} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
      )}
      <div className="buttons">
        <Button type="submit" className={`button ${choice.tone}`} aria-describedby={id} isDisabled={isSending}>
          {isSending ? 'Sending…' : `Yes, ${choice.label.toLowerCase()}`}
        </Button>
        <Button className="button quiet" onPress={onCancel}>
          Not yet
        </Button>
      </div>
    </form>
  );
}
