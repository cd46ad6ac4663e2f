import type { DelegationAnswer } from '../delegation-port.ts';
import type { Dialect } from './card.ts';

/** What an answer says: a text for agents that read texts, and data for those that show what they ask for. */
export type AnswerMessage = { readonly text: string; readonly data?: Readonly<Record<string, string>> };

/** What was decided here, as one says it to another agent: the words of its choices. */
const said = {
  approved: 'approve',
  rejected: 'reject',
  expired: 'reject',
  run_again: 'run_again',
  happened: 'happened',
  give_up: 'give_up',
} as const satisfies Readonly<Record<Exclude<DelegationAnswer['verdict'], 'token'>, string>>;

/** The answer as it is sent. Where the agent shows an id, the answer names it: it can be taken for no other question's. */
export function answerMessage({ approvalId, verdict, result, by }: DelegationAnswer, dialect: Dialect): AnswerMessage {
  if (verdict === 'token') return { text: 'The token that was asked for comes with this message.' };
  // There are agents that know only two words, and take whatever is no yes for a no.
  const plain = verdict === 'expired' ? 'rejected' : verdict;
  if (approvalId === '') return { text: plain };
  const more = { ...(verdict === 'happened' ? { result } : {}), ...(by === undefined ? {} : { by }) };
  const data = { kind: 'decision', approval_id: approvalId, decision: said[verdict], ...more };
  // In the first dialect a text with an id is no yes.
  return { text: dialect === 'legacy' ? plain : `${said[verdict]} ${approvalId}`, data };
}
