import type { ReactNode } from 'react';
import type { Answered } from '../state/answer.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';

/** A page of its own: a heading, what can be done, and the content below, which scrolls. */
export function Page(given: {
  readonly title: ReactNode;
  /** Where the arrow leads on a narrow screen. */
  readonly back?: string;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { title, back = '/', note, actions, children } = given;
  return (
    <div className="page">
      <header className="page-head">
        <Link to={back} className="icon-button back" label="Back">
          <Icon name="back" />
        </Link>
        <h1>{title}</h1>
        {note === undefined ? null : <p className="head-note">{note}</p>}
        {actions === undefined ? null : <div className="head-actions">{actions}</div>}
      </header>
      <div className="page-body">{children}</div>
    </div>
  );
}

/** What was asked for: the content once it is here; before, and where it cannot be had, words that say so. */
export function Loaded<Value>({
  of,
  children,
}: {
  readonly of: Answered<Value>;
  readonly children: (value: Value) => ReactNode;
}) {
  return (
    <>
      <p role="status" className="list-note">
        {of.problem ?? (of.isLoading ? 'Loading…' : '')}
      </p>
      {of.value === undefined ? null : children(of.value)}
    </>
  );
}
