import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { Icon } from '../ui/icon.tsx';

/** Where a message is written. What is not sent yet outlives a reload. */
export function Composer(given: {
  readonly draftName: string;
  readonly placeholder: string;
  /** Why nothing can be sent now. */
  readonly hint?: string | undefined;
  readonly isDisabled?: boolean;
  readonly autoFocus?: boolean;
  readonly onSend: (message: string) => void;
  /** Cancels the run, where one can be canceled. */
  readonly onCancel?: (() => void) | undefined;
}) {
  const { draftName, placeholder, hint, isDisabled = false, autoFocus = false, onSend, onCancel } = given;
  const name = `stopgo.draft.${draftName}`;
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? '');
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // Whoever is somewhere else is left there.
    if (autoFocus && document.activeElement === document.body) area.current?.focus({ preventScroll: true });
  }, [autoFocus]);
  const change = (next: string) => {
    setText(next);
    if (next === '') sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, next);
  };
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (isDisabled || text.trim() === '') return;
    change('');
    onSend(text.trim());
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') area.current?.blur();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form className="composer" onSubmit={send}>
      <div className="composer-box">
        <textarea
          ref={area}
          rows={1}
          aria-label="Message"
          aria-describedby={hint === undefined ? undefined : 'composer-hint'}
          placeholder={placeholder}
          value={text}
          onChange={(event) => change(event.target.value)}
          onKeyDown={press}
        />
        {onCancel === undefined ? (
          <Button type="submit" className="send" aria-label="Send" isDisabled={isDisabled || text.trim() === ''}>
            <Icon name="send" />
          </Button>
        ) : (
          <Button className="send cancel" aria-label="Cancel the run" onPress={onCancel}>
            <Icon name="stop" />
          </Button>
        )}
      </div>
      <p id="composer-hint" className="composer-hint">
        {hint}
      </p>
    </form>
  );
}
