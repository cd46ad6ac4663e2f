import { type Actor, DomainError, type RecordedFact } from '@stopgo/core';
import type { store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { NoticeType } from './webhooks.ts';

/** Something that webhooks are told of. */
export type Notice = {
  readonly type: NoticeType;
  readonly approvalId: string;
  /** Names of those who are told. */
  readonly webhooks: ReadonlySet<string>;
  readonly revision: number;
  /** When it happened, in milliseconds since 1970. */
  readonly time: number;
  readonly actor: Actor;
  /** Of a reminder, or an escalation: which it is, from 1. */
  readonly number: number;
};

/** After which revision events may be news to a webhook: most say nothing to it, and are not looked at once more. */
export const noticesAfter = ({ throughRevision }: views.PushConfig, { settledRevision }: views.Push): number =>
  Math.max(throughRevision, settledRevision);

const types = {
  approvalRequested: 'requested',
  approvalVoted: 'voted',
  approvalReminded: 'reminded',
  approvalEscalated: 'escalated',
  approvalResolved: 'resolved',
} as const;

type OfApproval = Extract<RecordedFact['fact'], { case: keyof typeof types }>;

const isOfApproval = (fact: RecordedFact['fact']): fact is OfApproval => fact.case in types;

/** Finds out what of a conversation's events webhooks are told, and which. */
export class Notices {
  readonly #store: Pick<Client<typeof store.StoreService>, 'getApproval'>;
  /** Of the approvals that were looked at: those who are told, each with the first revision. */
  readonly #told = new Map<string, Map<string, number>>();

  constructor(client: Pick<Client<typeof store.StoreService>, 'getApproval'>) {
    this.#store = client;
  }

  /**
   * What webhooks are told of an event; undefined if none is. `mayBeTold`: whether some webhook was named before it in the
   * conversation.
   */
  async of(event: RecordedFact, mayBeTold: boolean, signal: AbortSignal): Promise<Notice | undefined> {
    const { fact, revision, time, actor } = event;
    if (!isOfApproval(fact)) return undefined;
    const { approvalId } = fact.value;
    const told = await this.#toldOf(fact, revision, mayBeTold, signal);
    const webhooks = new Set([...told].flatMap(([name, from]) => (from <= revision ? [name] : [])));
    if (webhooks.size === 0) return undefined;
    const number = 'number' in fact.value ? fact.value.number : 0;
    return { type: types[fact.case], approvalId, webhooks, revision, time, actor, number };
  }

  async #toldOf(fact: OfApproval, revision: number, mayBeTold: boolean, signal: AbortSignal) {
    const { approvalId } = fact.value;
    const known = this.#told.get(approvalId) ?? new Map<string, number>();
    if (fact.case !== 'approvalRequested' && !this.#told.has(approvalId)) {
      if (!mayBeTold && fact.case !== 'approvalEscalated') return known;
      for (const { name, fromRevision } of await this.#notifiedOf(approvalId, signal)) known.set(name, fromRevision);
    }
    const named = fact.case === 'approvalRequested' || fact.case === 'approvalEscalated' ? fact.value.notify : [];
    for (const name of named) if (!known.has(name)) known.set(name, revision);
    this.#told.set(approvalId, known);
    return known;
  }

  async #notifiedOf(approvalId: string, signal: AbortSignal) {
    try {
      return (await this.#store.getApproval({ approvalId }, { signal })).approval?.notify ?? [];
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return [];
      throw error;
    }
  }
}
