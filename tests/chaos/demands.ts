import type { RecordedFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { LoggedConversation } from '../promises/read-log.ts';

/** A vote that the platform has acknowledged, by the key of its request. */
export type Vote = { readonly conversationId: string; readonly key: string };

/** A notice that a receiver took, by its `webhook-id`. */
export type Notice = { readonly id: string; readonly type: string; readonly approvalId: string };

const { Decision } = facts;

/** What an approval demanded when it was asked for, and who has said yes so far. */
type Asked = {
  readonly votes: number;
  readonly approvers: ReadonlySet<string>;
  readonly expiresAt: number | undefined;
  /** By what they have said. */
  readonly yes: Map<facts.Decision, Set<string>>;
};

/**
 * What rules demand of people and of time, of one conversation: no call is let run by fewer people than its rule wants, or by others;
 * each reminder and escalation is told once, and none of an approval that is over; nothing is over before its time, or twice.
 */
export function demandsOf({ id, events }: LoggedConversation): string[] {
  const asked = new Map<string, Asked>();
  const over = new Set<string>();
  const told = new Set<string>();
  const wrong: string[] = [];
  for (const event of events) {
    const { fact } = event;
    const place = `conversation ${id}, event ${event.revision}`;
    switch (fact.case) {
      case 'approvalRequested': {
        const one = askedIn(fact.value);
        if (one !== undefined) asked.set(fact.value.approvalId, one);
        break;
      }
      case 'approvalReminded':
      case 'approvalEscalated': {
        const { approvalId, number } = fact.value;
        const what = `${fact.case} ${number} of ${approvalId}`;
        if (told.has(what)) wrong.push(`${place}: ${what} once more`);
        if (over.has(approvalId)) wrong.push(`${place}: ${what}, which is over`);
        told.add(what);
        break;
      }
      case 'approvalVoted':
      case 'approvalResolved': {
        const one = asked.get(fact.value.approvalId);
        if (over.has(fact.value.approvalId)) wrong.push(`${place}: ${fact.value.approvalId} is decided once more`);
        if (fact.case === 'approvalResolved') over.add(fact.value.approvalId);
        if (one !== undefined) wrong.push(...ofVote(event, one).map((what) => `${place}: ${what}`));
        break;
      }
      default:
    }
  }
  return wrong;
}

function askedIn({ demand, expiresAt }: facts.ApprovalRequested): Asked | undefined {
  if (demand === undefined) return undefined;
  const all = [...demand.approvers, ...demand.escalations.flatMap((one) => one.approvers)];
  const names = all.flatMap(({ who }) => (who.case === 'user' ? [who.value] : []));
  return {
    votes: demand.votes,
    approvers: new Set(names),
    expiresAt: expiresAt && Number(expiresAt.seconds) * 1_000,
    yes: new Map(),
  };
}

function ofVote({ fact, time }: RecordedFact, one: Asked): string[] {
  if (fact.case !== 'approvalVoted' && fact.case !== 'approvalResolved') return [];
  const { approvalId, decision, voter } = fact.value;
  if (decision === Decision.EXPIRED)
    return one.expiresAt !== undefined && time >= one.expiresAt ? [] : [`${approvalId} is over before its time`];
  if (decision === Decision.WITHDRAWN) return [];
  const name = voter?.name ?? '';
  const stranger = one.approvers.size > 0 && !one.approvers.has(name) ? [`${name} decides ${approvalId}`] : [];
  if (decision !== Decision.APPROVED && decision !== Decision.RUN_AGAIN && decision !== Decision.HAPPENED)
    return stranger;
  const same = one.yes.get(decision) ?? new Set();
  one.yes.set(decision, same);
  if (same.has(name)) stranger.push(`${name} says yes to ${approvalId} twice`);
  same.add(name);
  if (fact.case === 'approvalResolved' && same.size < one.votes)
    stranger.push(`${approvalId} is approved by ${same.size} of ${one.votes}`);
  return stranger;
}

/** How often it was decided by several, how often by nobody in time, and how many reminders and escalations there were. */
export type Demands = { readonly together: number; readonly expired: number; readonly told: number };

/** How much of that there was. */
export function demandsIn(conversations: readonly LoggedConversation[]): Demands {
  const all = conversations.flatMap(({ events }) => events.map(({ fact }) => fact));
  return {
    together: new Set(all.flatMap((one) => (one.case === 'approvalVoted' ? [one.value.approvalId] : []))).size,
    expired: all.filter((one) => one.case === 'approvalResolved' && one.value.decision === Decision.EXPIRED).length,
    told: all.filter((one) => one.case === 'approvalReminded' || one.case === 'approvalEscalated').length,
  };
}

/** Acknowledged votes that the log does not have. */
export function lostVotes(votes: readonly Vote[], conversations: readonly LoggedConversation[]): string[] {
  const keys = new Map(conversations.map(({ id, events }) => [id, new Set(events.flatMap(keyOf))]));
  return votes
    .filter(({ conversationId, key }) => keys.get(conversationId)?.has(key) !== true)
    .map(({ conversationId, key }) => `an acknowledged vote (${key}) is not in the log of ${conversationId}`);
}

const keyOf = ({ fact }: RecordedFact): string[] =>
  (fact.case === 'approvalVoted' || fact.case === 'approvalResolved') && fact.value.idempotency !== undefined
    ? [fact.value.idempotency.key]
    : [];

const types: Readonly<Record<string, string>> = {
  approvalRequested: 'approval.requested',
  approvalVoted: 'approval.voted',
  approvalReminded: 'approval.reminded',
  approvalEscalated: 'approval.escalated',
  approvalResolved: 'approval.resolved',
};

/** What a webhook has to be told of by the log: each event of the approvals whose request names it. */
export function noticesOf(webhook: string, conversations: readonly LoggedConversation[]): readonly Notice[] {
  return conversations.flatMap(({ id, events }) => {
    const named = new Set<string>();
    return events.flatMap(({ fact, revision }) => {
      const type = types[fact.case];
      if (type === undefined || !('approvalId' in fact.value)) return [];
      const { approvalId } = fact.value;
      if (fact.case === 'approvalRequested' && fact.value.notify.includes(webhook)) named.add(approvalId);
      return named.has(approvalId) ? [{ id: `${id}:${revision}:${webhook}`, type, approvalId }] : [];
    });
  });
}

/** Notices that nobody was told of, and those that were told of nothing on the record. */
export function wrongNotices(expected: readonly Notice[], taken: readonly Notice[]): string[] {
  const text = ({ id, type, approvalId }: Notice): string => `${id} ${type} ${approvalId}`;
  const [all, told] = [new Set(expected.map(text)), new Set(taken.map(text))];
  return [
    ...[...all].filter((one) => !told.has(one)).map((one) => `a webhook was not told of ${one}`),
    ...[...told].filter((one) => !all.has(one)).map((one) => `a webhook was told of what is not on the record: ${one}`),
  ];
}
