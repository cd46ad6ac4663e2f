import type { Approval } from '@stopgo/client';
import { useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { useApproval, useInbox } from '../state/approvals.ts';
import { counts, waitingFor } from '../state/live.ts';
import { go } from '../state/place.ts';
import { useStore } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { Batch } from './batch.tsx';
import { togetherMax } from './decide-many.ts';
import { askedFor, Filters, listQuery } from './filters.tsx';
import { InboxKinds } from './inbox-kinds.tsx';
import { headlineOf, outcomeOf, summaryOf } from './words.ts';

const address = (approval: string | undefined, query: string): string =>
  `/approvals${approval === undefined ? '' : `/${approval}`}${query}`;

/** All approvals, across conversations: the list, and the one that somebody looks at. */
export function ApprovalsPage({
  query,
  approval: chosen,
}: {
  readonly query: string;
  readonly approval: string | undefined;
}) {
  const filter = askedFor(query);
  const inbox = useInbox(listQuery(filter));
  const { approvals } = inbox;
  const { approval, problem } = useApproval(chosen);
  const waiting = useStore(counts);
  const move = (step: 1 | -1) => () => {
    const at = approvals.findIndex(({ uuid }) => uuid === chosen);
    const next = approvals[at === -1 ? (step === 1 ? 0 : approvals.length - 1) : at + step];
    if (next !== undefined) go(address(next.uuid, query), chosen !== undefined);
  };
  // Undefined: nobody selects.
  const [selection, setSelection] = useState<ReadonlySet<string>>();
  const toggle = (uuid: string) =>
    setSelection((before = new Set()) => {
      const next = new Set(before);
      if (!next.delete(uuid)) next.add(uuid);
      return next;
    });
  const open = approvals.filter(({ status }) => status === 'pending');
  const isChosenOpen = open.some(({ uuid }) => uuid === chosen);
  useShortcuts({
    x: chosen !== undefined && isChosenOpen ? () => toggle(chosen) : undefined,
    j: move(1),
    k: move(-1),
    Escape: chosen === undefined ? undefined : () => go(address(undefined, query)),
  });
  return (
    <div className={chosen === undefined ? 'approvals' : 'approvals has-chosen'}>
      <section className="inbox" aria-labelledby="inbox-title">
        <header className="page-head">
          <Link to="/" className="icon-button back" label="Back to conversations">
            <Icon name="back" />
          </Link>
          <h1 id="inbox-title">Approvals</h1>
          {waiting === undefined ? null : (
            <p className="head-note" role="status">
              {waitingFor(waiting) === 0 ? 'Nothing waits' : `${waitingFor(waiting).toLocaleString('en')} waiting`}
              {waiting.overdue > 0 ? `, ${waiting.overdue.toLocaleString('en')} overdue` : ''}
            </p>
          )}
          {selection === undefined && open.length > 1 ? (
            <Button className="link-button select-several" onPress={() => setSelection(new Set())}>
              Select several
            </Button>
          ) : null}
        </header>
        <InboxKinds current="approvals" />
        <Filters filter={filter} onChange={(next) => go(address(undefined, next))} />
        {selection === undefined ? null : (
          <Batch
            selected={open.filter(({ uuid }) => selection.has(uuid))}
            onSelectAll={() => setSelection(new Set(open.slice(0, togetherMax).map(({ uuid }) => uuid)))}
            onDone={() => setSelection(undefined)}
          />
        )}
        <Rows approvals={approvals} chosen={chosen} query={query} selection={selection} onToggle={toggle} />
        <p role="status" className="list-note">
          {inbox.problem ?? (inbox.isLoading || approvals.length > 0 ? '' : emptyWords(filter.status))}
        </p>
        {inbox.hasMore ? (
          <Button className="link-button" onPress={inbox.more}>
            Show more
          </Button>
        ) : null}
      </section>
      <section className="chosen" aria-label="The approval">
        {chosen === undefined ? (
          <div className="chosen-empty">
            <Icon name="inbox" />
            <p>Choose an approval, or press j.</p>
          </div>
        ) : (
          <>
            {/* Where the list is beside it, that one has the heading of the page. */}
            <h1 className="visually-hidden heading-alone">Approval</h1>
            <Link to={address(undefined, query)} className="button quiet back-to-list">
              <Icon name="back" /> All approvals
            </Link>
            {approval === undefined ? (
              <p role="status" className="list-note">
                {problem ?? ''}
              </p>
            ) : (
              <ApprovalCard key={approval.uuid} approval={approval} hasKeys />
            )}
            {approval?.replaced_by === undefined ? null : (
              <p className="list-note">
                The changed call has <Link to={address(approval.replaced_by, query)}>an approval of its own</Link>.
              </p>
            )}
          </>
        )}
      </section>
    </div>
  );
}

const emptyWords = (status: string): string =>
  status === 'pending' ? 'Nothing waits for a decision. New ones appear here by themselves.' : 'Nothing here.';

function Rows(given: {
  readonly approvals: readonly Approval[];
  readonly chosen: string | undefined;
  readonly query: string;
  readonly selection: ReadonlySet<string> | undefined;
  readonly onToggle: (uuid: string) => void;
}) {
  const { approvals, chosen, query, selection, onToggle } = given;
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is looked for when another one is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul ref={list} className="rows">
      {approvals.map((one) => (
        <li key={one.uuid} className={selection === undefined ? undefined : 'selectable'}>
          {selection === undefined ? null : (
            <label className="row-select">
              <input
                type="checkbox"
                checked={selection.has(one.uuid) && one.status === 'pending'}
                disabled={one.status !== 'pending'}
                onChange={() => onToggle(one.uuid)}
              />
              <span className="visually-hidden">
                Select: <Line text={`${headlineOf(one)} ${summaryOf(one)}`} />
              </span>
            </label>
          )}
          <Link to={address(one.uuid, query)} isCurrent={one.uuid === chosen} className={`approval-row ${one.status}`}>
            <span className="row-title">
              <Line text={headlineOf(one)} />
            </span>
            <span className="row-tool">
              <Line text={`${one.tool_name} · ${summaryOf(one)}`} />
            </span>
            <span className="row-meta">
              {one.overdue ? <span className="dot bad">Overdue</span> : null}
              {one.status === 'pending' ? null : (
                <span className={`dot ${one.status}`}>{outcomeOf(one)?.split(' at ')[0]}</span>
              )}
              {one.assignee === undefined ? null : (
                <span className="row-assignee">
                  for <Line text={one.assignee.name} />
                </span>
              )}
              <Time at={one.created_at} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
