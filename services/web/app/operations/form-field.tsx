import { cloneElement, type ReactElement, useId } from 'react';

/** A field with its name, what is wrong with it, and a note; a screen reader reads all of them. */
export function FormField(given: {
  readonly label: string;
  readonly problem: string | undefined;
  readonly note?: string;
  readonly children: ReactElement<React.InputHTMLAttributes<HTMLInputElement>>;
}) {
  const { label, problem = '', note, children } = given;
  const id = useId();
  const isBad = problem !== '';
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, {
        id,
        'aria-invalid': isBad,
        'aria-describedby':
          [isBad ? `${id}-problem` : '', note === undefined ? '' : `${id}-note`].join(' ').trim() || undefined,
      })}
      <p id={`${id}-problem`} role="alert" className="problem">
        {problem}
      </p>
      {note === undefined ? null : (
        <span id={`${id}-note`} className="field-note">
          {note}
        </span>
      )}
    </div>
  );
}
