import { actorFromWire, askedWords, invalidArgument, type Principal, reachOf, visibleJson } from '@stopgo/core';
import { SseWriter, type StreamSlot } from '@stopgo/http';
import { store } from '@stopgo/proto';
import type { Request } from 'express';
import { tenureOf } from '../auth/tenure.ts';
import { sseRetryMs } from '../bounds.ts';
import type { Frame } from '../frame.ts';
import { type Answer, jsonText } from '../json-text.ts';
import { Query } from '../query.ts';
import { renderApproval } from '../render/approval.ts';
import { rfc3339 } from '../render/time.ts';
import { approvalsAsked } from './approval-query.ts';
import type { Handler, Route, RouteDependencies } from './route.ts';

/** Following what becomes of approvals, across conversations. */
export const approvalEventRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/approvals/events', handle: follow(deps) },
];

const words: Readonly<Record<store.ApprovalChange, string>> = {
  [store.ApprovalChange.UNSPECIFIED]: '',
  [store.ApprovalChange.ASKED]: 'asked',
  [store.ApprovalChange.VOTED]: 'voted',
  [store.ApprovalChange.EDITED]: 'edited',
  [store.ApprovalChange.ASSIGNED]: 'assigned',
  [store.ApprovalChange.REMINDED]: 'reminded',
  [store.ApprovalChange.ESCALATED]: 'escalated',
  [store.ApprovalChange.SETTLED]: 'settled',
};

const follow =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const begin = beginOf(req);
    const also = new Query(req).choice('also', { may_decide: true }) ?? false;
    const filter = await approvalsAsked(deps, req, frame, also);
    const slot = deps.streams.open();
    res.once('close', slot.release);
    try {
      // Who left while the permission was asked for has closed already and does not close again.
      if (res.destroyed) return;
      const open = () => new SseWriter(res, { stallMs: deps.readerStallMs, signal: slot.signal });
      await stream(deps, frame, { filter, begin }, slot, open, req.method === 'HEAD');
    } finally {
      slot.release();
    }
  };

type Asked = {
  readonly filter: Awaited<ReturnType<typeof approvalsAsked>>;
  readonly begin: ReturnType<typeof beginOf>;
};

/** Sends changes until the client leaves, may not any more, the gateway stops or the store breaks off; then the client connects again. */
async function stream(
  deps: RouteDependencies,
  frame: Frame,
  asked: Asked,
  slot: StreamSlot,
  open: () => SseWriter,
  isHead: boolean,
): Promise<void> {
  const sees = sightOf(frame.principal);
  const tenure = tenureOf(deps, frame, 'approval.list', { kind: 'approval' }, (now) => sightOf(now) === sees);
  const signal = AbortSignal.any([slot.signal, tenure.signal]);
  let writer: SseWriter | undefined;
  const heartbeat = setInterval(() => writer?.offer(': heartbeat\n\n'), deps.heartbeatMs);
  try {
    for await (const change of deps.clients.store.watchApprovals(asked, { context: frame.context, signal })) {
      if (writer === undefined) {
        // Until here a refusal is an answer of its own.
        writer = open();
        if (isHead) break;
        await writer.send(`retry: ${sseRetryMs}\n\n`);
      }
      await writer.send(changeText(change, deps.wallClock()));
    }
  } catch (error) {
    if (writer === undefined && !signal.aborted) throw error;
    if (!signal.aborted) deps.log.warn('an event stream of approvals broke off', { error });
  } finally {
    clearInterval(heartbeat);
    tenure.end();
    slot.release();
    writer?.end();
  }
}

/** What somebody may see and is asked depends on: their role, their groups, what they presented may be used for. */
const sightOf = (principal: Principal): string =>
  principal.kind === 'user'
    ? JSON.stringify([reachOf(principal, 'approval.list'), askedWords(principal)])
    : principal.kind;

/** A message without a change only says from where to go on: an event without data is dispatched to nobody, and its id counts. */
function changeText({ position, change, approval, actor, time }: store.WatchApprovalsResponse, now: number): string {
  const id = `id: ${position}\n`;
  const word = words[change] ?? '';
  if (word === '' || approval === undefined) return `${id}\n`;
  const data: Answer = {
    change: word,
    time: rfc3339(time) ?? null,
    actor: { ...actorFromWire(actor) },
    approval: renderApproval(approval, now),
  };
  return `${id}event: ${word}\ndata: ${visibleJson(jsonText(data))}\n\n`;
}

/** After which change to begin: that of `Last-Event-ID`, else of `?after=`, else the last one of now. */
function beginOf(req: Request) {
  const after = req.get('last-event-id') || new Query(req).text('after', 16);
  if (after === undefined) return { case: 'now', value: true } as const;
  if (!/^\d{1,16}$/.test(after) || !Number.isSafeInteger(Number(after)))
    throw invalidArgument('Last-Event-ID, or "after", must be the id of an event of this stream: a whole number');
  return { case: 'afterPosition', value: BigInt(after) } as const;
}
