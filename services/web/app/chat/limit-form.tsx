import { type FormEvent, useId, useState } from 'react';
import { Button } from 'react-aria-components';
import { type LimitName, labelOf, limitOf, namesOf, type Reached } from './new-limits.ts';

/** Asks for a new limit for each that is reached. */
export function LimitForm(given: {
  readonly reached: Reached;
  readonly isSending: boolean;
  readonly onLimits: (limits: Readonly<Partial<Record<LimitName, number>>>) => void;
  readonly onCancel: () => void;
}) {
  const { reached, isSending, onLimits, onCancel } = given;
  const id = useId();
  const [problems, setProblems] = useState<Readonly<Partial<Record<LimitName, string>>>>({});
  const names = namesOf(reached);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const written = new FormData(event.currentTarget);
    const found: Partial<Record<LimitName, string>> = {};
    const limits: Partial<Record<LimitName, number>> = {};
    for (const name of names) {
      const use = reached[name];
      const limit = use === undefined ? '' : limitOf(name, use, String(written.get(name) ?? ''));
      if (typeof limit === 'string') found[name] = limit;
      else limits[name] = limit;
    }
    setProblems(found);
    const [wrong] = Object.keys(found);
    if (wrong === undefined) onLimits(limits);
    else event.currentTarget.querySelector<HTMLElement>(`[name=${wrong}]`)?.focus();
  };
  return (
    <form className="form" onSubmit={send} noValidate>
      <p className="card-note">It counts from the beginning of the agent's work, and holds for this run only.</p>
      {names.map((name, index) => (
        <label key={name} className="field">
          {labelOf(name)}
          <input
            name={name}
            type="text"
            inputMode="decimal"
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the form was asked for with the press before
            autoFocus={index === 0}
            aria-invalid={problems[name] !== undefined}
            aria-describedby={`${id}-${name}`}
          />
          <span className="problem" id={`${id}-${name}`}>
            {problems[name]}
          </span>
        </label>
      ))}
      <div className="buttons">
        <Button type="submit" className="button go" isDisabled={isSending}>
          {isSending ? 'Sending…' : 'Resume with it'}
        </Button>
        <Button className="button quiet" onPress={onCancel}>
          Not yet
        </Button>
      </div>
    </form>
  );
}
