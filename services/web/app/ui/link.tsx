import type { MouseEvent, ReactNode } from 'react';
import { go } from '../state/place.ts';

/** A link to another place of the app. A new tab opens as for any link. */
export function Link(given: {
  readonly to: string;
  readonly className?: string;
  readonly isCurrent?: boolean;
  readonly label?: string;
  /** The id of what says more of where it leads. */
  readonly describedBy?: string;
  /** Also done when somebody follows it in this tab. */
  readonly onFollow?: () => void;
  readonly children: ReactNode;
}) {
  const { to, className, isCurrent = false, label, describedBy, onFollow, children } = given;
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
    onFollow?.();
  };
  return (
    <a
      href={to}
      className={className}
      aria-current={isCurrent ? 'page' : undefined}
      aria-label={label}
      aria-describedby={describedBy}
      onClick={follow}
    >
      {children}
    </a>
  );
}
