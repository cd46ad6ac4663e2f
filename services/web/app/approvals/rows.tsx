import type { Approval } from '@stopgo/client';
import { memo, useEffect, useRef } from 'react';
import { Link } from '../ui/link.tsx';
import { Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { headlineOf, outcomeOf, summaryOf } from './words.ts';

/** Where an approval is looked at, or the list alone. `query` narrows the list. */
export const address = (approval: string | undefined, query: string): string =>
  `/approvals${approval === undefined ? '' : `/${approval}`}${query}`;

type Given = {
  readonly chosen: string | undefined;
  readonly query: string;
  /** Undefined: nobody selects. */
  readonly selection: ReadonlySet<string> | undefined;
  readonly onToggle: (uuid: string) => void;
};

/** The list, page after page. What is drawn again is the row that has changed, however many there are. */
export function Rows({ pages, ...given }: Given & { readonly pages: readonly (readonly Approval[])[] }) {
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is looked for when another one is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [given.chosen]);
  return (
    <ul ref={list} className="rows">
      {pages.map((approvals) => {
        const isHere = approvals.some(({ uuid }) => uuid === given.chosen);
        return (
          <PageOfRows
            key={approvals[0]?.uuid}
            approvals={approvals}
            {...given}
            chosen={isHere ? given.chosen : undefined}
          />
        );
      })}
    </ul>
  );
}

const PageOfRows = memo(
  ({ approvals, selection, chosen, ...given }: Given & { readonly approvals: readonly Approval[] }) =>
    approvals.map((one) => (
      <Row
        key={one.uuid}
        approval={one}
        isChosen={one.uuid === chosen}
        isSelected={selection?.has(one.uuid)}
        {...given}
      />
    )),
);

const Row = memo(
  ({
    approval,
    isChosen,
    isSelected,
    query,
    onToggle,
  }: Pick<Given, 'query' | 'onToggle'> & {
    readonly approval: Approval;
    readonly isChosen: boolean;
    /** Undefined: nobody selects. */
    readonly isSelected: boolean | undefined;
  }) => {
    const { uuid, status, overdue, assignee, tool_name: tool, created_at: at } = approval;
    return (
      <li className={isSelected === undefined ? undefined : 'selectable'}>
        {isSelected === undefined ? null : (
          <label className="row-select">
            <input
              type="checkbox"
              checked={isSelected && status === 'pending'}
              disabled={status !== 'pending'}
              onChange={() => onToggle(uuid)}
            />
            <span className="visually-hidden">
              Select: <Line text={`${headlineOf(approval)} ${summaryOf(approval)}`} />
            </span>
          </label>
        )}
        <Link to={address(uuid, query)} isCurrent={isChosen} className={`approval-row ${status}`}>
          <span className="row-title">
            <Line text={headlineOf(approval)} />
          </span>
          <span className="row-tool">
            <Line text={`${tool} · ${summaryOf(approval)}`} />
          </span>
          <span className="row-meta">
            {overdue ? <span className="dot bad">Overdue</span> : null}
            {status === 'pending' ? null : (
              <span className={`dot ${status}`}>{outcomeOf(approval)?.split(' at ')[0]}</span>
            )}
            {assignee === undefined ? null : (
              <span className="row-assignee">
                for <Line text={assignee.name} />
              </span>
            )}
            <Time at={at} />
          </span>
        </Link>
      </li>
    );
  },
);
