import { useCallback, useState } from 'react';
import { Button } from 'react-aria-components';
import { useApproval, useInbox } from '../state/approvals.ts';
import { counts, countWords, waitingFor } from '../state/live.ts';
import { go } from '../state/place.ts';
import { useStore } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { ApprovalCard } from './approval-card.tsx';
import { Batch } from './batch.tsx';
import { togetherMax } from './decide-many.ts';
import { askedFor, Filters, listQuery } from './filters.tsx';
import { InboxKinds } from './inbox-kinds.tsx';
import { address, Rows } from './rows.tsx';

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
  const { pages } = inbox;
  const approvals = pages.flat();
  const { approval, problem } = useApproval(chosen);
  const waiting = useStore(counts);
  const move = (step: 1 | -1) => () => {
    const at = approvals.findIndex(({ uuid }) => uuid === chosen);
    const next = approvals[at === -1 ? (step === 1 ? 0 : approvals.length - 1) : at + step];
    if (next !== undefined) go(address(next.uuid, query), chosen !== undefined);
  };
  // Undefined: nobody selects.
  const [selection, setSelection] = useState<ReadonlySet<string>>();
  const toggle = useCallback(
    (uuid: string) =>
      setSelection((before = new Set()) => {
        const next = new Set(before);
        if (!next.delete(uuid)) next.add(uuid);
        return next;
      }),
    [],
  );
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
              {waitingFor(waiting) === 0 ? 'Nothing waits' : `${countWords(waitingFor(waiting))} waiting`}
              {waiting.overdue > 0 ? `, ${countWords(waiting.overdue)} overdue` : ''}
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
        <Rows pages={pages} chosen={chosen} query={query} selection={selection} onToggle={toggle} />
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
