import { timestampMs } from '@bufbuild/protobuf/wkt';
import {
  askingsOf,
  assigneeOf,
  conversationOfStream,
  decodeRecorded,
  type Fact,
  type FactName,
  invalidArgument,
  matchesGlob,
  type RecordedFact,
} from '@stopgo/core';
import { envelope, fromBinary, store, views as view } from '@stopgo/proto';
import { approvalFilterOf } from './approval-filter.ts';
import { eventsPerProgressMax, listLimitMax, settledKeptMax } from './bounds.ts';
import type { EventLog, RecordedEvent } from './event-log.ts';
import { namesIn } from './fact-names.ts';
import type { ApprovalFilter, Views } from './views.ts';

const { ASKED, VOTED, EDITED, ASSIGNED, REMINDED, ESCALATED, SETTLED } = store.ApprovalChange;

/** What facts make of the approval that they name. */
const changeOf: Readonly<Partial<Record<FactName, store.ApprovalChange>>> = {
  approvalRequested: ASKED,
  approvalVoted: VOTED,
  callEdited: EDITED,
  approvalAssigned: ASSIGNED,
  approvalReminded: REMINDED,
  approvalEscalated: ESCALATED,
  approvalResolved: SETTLED,
};

/** Facts by which what is still pending of a run is withdrawn. */
const ends: readonly FactName[] = ['runCompleted', 'runFailed', 'runCanceled', 'stepCanceled'];

type Watched = Pick<store.WatchApprovalsResponse, 'position' | 'actor' | 'time'> & {
  readonly change?: store.ApprovalChange;
  readonly approval?: view.Approval;
};

type Change = { readonly change: store.ApprovalChange; readonly approvalId: string };

/** What the changes of approvals are read from. */
export type WatchParts = {
  readonly log: Pick<EventLog, 'lastPosition' | 'subscribe'>;
  readonly views: Pick<Views, 'caughtUp' | 'approval' | 'approvals' | 'placeOfApproval'>;
};

/**
 * The changes of approvals in the order of the log, which is the same for every replica, and so is a position. A slow reader is fed from
 * the log: nothing queues for it. Of what happened it shows the approval as it is by now.
 *
 * @throws DomainError `invalid_argument` for a filter that does not fit, or a position that the log has not reached.
 */
export async function* watchApprovals(
  { log, views }: WatchParts,
  { filter, begin }: store.WatchApprovalsRequest,
  signal: AbortSignal,
): AsyncGenerator<Watched, void> {
  const wanted = wantedOf(filter);
  const last = await log.lastPosition();
  const after = begin.case === 'afterPosition' ? Number(begin.value) : last;
  if (after > last)
    throw invalidArgument(
      `the log has not reached position ${after}; its last one is ${last}: begin without a position`,
    );
  yield { position: BigInt(after) };
  const settled = new Settled();
  let told = BigInt(after);
  let unseen = 0;
  for await (const event of log.subscribe(after, 'conversation-', signal)) {
    const { position } = event;
    const found = ofApprovals(event);
    unseen += 1;
    if (found !== undefined) {
      await views.caughtUp(signal, Number(position));
      const { recorded, ...how } = found;
      const news = settled.news(changesOf(recorded, views)).flatMap(({ change, approvalId }) => {
        const approval = views.approval(approvalId);
        const place = views.placeOfApproval(approvalId);
        return approval !== undefined && place !== undefined && isWanted(wanted, change, approval, place, recorded.time)
          ? [{ change, approval, ...how }]
          : [];
      });
      // Whoever goes on after the position of an event has had all that it changed.
      for (const [index, one] of news.entries())
        yield { position: index === news.length - 1 ? position : told, ...one };
      if (news.length > 0) unseen = 0;
    }
    if (unseen >= eventsPerProgressMax) {
      unseen = 0;
      yield { position };
    }
    told = position;
  }
}

/** An event that may change approvals, with who did it and when as they are recorded. */
type OfApprovals = Pick<store.WatchApprovalsResponse, 'actor' | 'time'> & { readonly recorded: RecordedFact };

/** Most events change no approval: they are told by a number, and decoded once however many watch. */
const decoded = new WeakMap<RecordedEvent, OfApprovals | 'other'>();

function ofApprovals(event: RecordedEvent): OfApprovals | undefined {
  let found = decoded.get(event);
  if (found === undefined) {
    const { payload, actor, time } = fromBinary(envelope.EnvelopeSchema, event.envelope);
    const isOfApprovals = namesIn(payload).some((name) => name in changeOf || ends.includes(name));
    found = isOfApprovals
      ? { recorded: decodeRecorded(event), ...(actor && { actor }), ...(time && { time }) }
      : 'other';
    decoded.set(event, found);
  }
  return found === 'other' ? undefined : found;
}

function changesOf(recorded: RecordedFact, views: WatchParts['views']): readonly Change[] {
  const { fact, stream, time } = recorded;
  if (ends.includes(fact.case)) return withdrawnBy(fact, conversationOfStream(stream), time, views);
  const change = changeOf[fact.case];
  const approvalId = 'approvalId' in fact.value ? fact.value.approvalId : '';
  return change === undefined || approvalId === '' ? [] : [{ change, approvalId }];
}

/** What was pending of a run when it ended: nothing else says that it is withdrawn. */
function withdrawnBy(
  { value }: Fact,
  conversationId: string | undefined,
  time: number,
  views: WatchParts['views'],
): readonly Change[] {
  if (conversationId === undefined || !('runId' in value)) return [];
  const changes: Change[] = [];
  const filter = { status: undefined, conversationId, askedInRun: value.runId };
  for (let after: number | undefined; ; ) {
    const { rows, next } = views.approvals(filter, { limit: listLimitMax, after });
    for (const { id, status, decidedAt, decisionReason } of rows)
      if (
        status === view.ApprovalStatus.WITHDRAWN &&
        decidedAt &&
        timestampMs(decidedAt) === time &&
        decisionReason === ''
      )
        changes.push({ change: SETTLED, approvalId: id });
    if (next === undefined) return changes;
    after = next;
  }
}

/** Leaves out what is told twice: an end of a run also withdraws what an event of the same append has withdrawn. */
class Settled {
  readonly #last = new Set<string>();

  news(changes: readonly Change[]): readonly Change[] {
    return changes.filter(({ change, approvalId }) => {
      if (change !== SETTLED) return true;
      if (this.#last.has(approvalId)) return false;
      const [oldest] = this.#last;
      if (this.#last.size >= settledKeptMax && oldest !== undefined) this.#last.delete(oldest);
      this.#last.add(approvalId);
      return true;
    });
  }
}

type Place = NonNullable<ReturnType<Views['placeOfApproval']>>;

type Wanted = ApprovalFilter & { readonly words: ReadonlySet<string> };

function wantedOf(filter: store.ListApprovalsRequest | undefined): Wanted | undefined {
  if (filter === undefined) return undefined;
  if (filter.askedInRun !== '' || filter.overdueAt !== undefined)
    throw invalidArgument('changes are not narrowed by a run, nor by what is overdue: that is not a change');
  const wanted = approvalFilterOf({ ...filter, status: 0 });
  return { ...wanted, status: filter.status || undefined, words: new Set(wanted.askedOf?.words ?? []) };
}

function isWanted(
  wanted: Wanted | undefined,
  change: store.ApprovalChange,
  approval: view.Approval,
  { owner, agent }: Place,
  time: number,
): boolean {
  if (wanted === undefined) return true;
  const { status, conversationId, principal, askedOf, narrow = {} } = wanted;
  const then = change === SETTLED ? approval.status : view.ApprovalStatus.PENDING;
  const isOfOwner = principal === undefined || conversationId !== undefined || principal === owner;
  const isAskedOf = askedOf !== undefined && isAsked(wanted, approval, owner, Math.max(askedOf.at, time));
  // What is somebody's own and what asks them are told together where both are named.
  const isTheirs = askedOf === undefined ? isOfOwner : isAskedOf || (principal !== undefined && isOfOwner);
  return (
    (status ?? then) === then &&
    (conversationId ?? approval.conversationId) === approval.conversationId &&
    isTheirs &&
    (narrow.tool ?? approval.tool) === approval.tool &&
    (narrow.toolPattern === undefined || matchesGlob(narrow.toolPattern, approval.tool)) &&
    (narrow.agent ?? agent) === agent &&
    (narrow.server ?? approval.server) === approval.server &&
    (narrow.node ?? approval.node) === approval.node &&
    (narrow.requestedBefore ?? Number.POSITIVE_INFINITY) >
      (approval.requestedAt ? timestampMs(approval.requestedAt) : 0) &&
    (change === ASSIGNED || (narrow.assignee ?? assigneeOf(approval)) === assigneeOf(approval))
  );
}

const isAsked = ({ askedOf, words }: Wanted, approval: view.Approval, owner: string, now: number): boolean =>
  askingsOf({ ...approval, votes: [] }, owner).some(
    ({ asked, from, notBy }) => words.has(asked) && from <= now && !notBy.includes(askedOf?.principal ?? ''),
  );
