import type { DelegationAnswer } from '../delegation-port.ts';
import type { Dialect } from './card.ts';

/** What an answer says: a text for agents that read texts, and data for those that show what they ask for. */
export type AnswerMessage = { readonly text: string; readonly data?: Readonly<Record<string, string>> };

/** Agents that know only two words, and take whatever is no yes for a no. */
const words = { approve: 'approved', reject: 'rejected' } as const;

/** The answer as it is sent. Where the agent shows an id, the answer names it: it can be taken for no other question's. */
export function answerMessage({ approvalId, verdict, result, by }: DelegationAnswer, dialect: Dialect): AnswerMessage {
  if (verdict === 'token') return { text: 'The token that was asked for comes with this message.' };
  const plain = verdict === 'approve' || verdict === 'reject' ? words[verdict] : verdict;
  if (approvalId === '') return { text: plain };
  const more = { ...(verdict === 'happened' ? { result } : {}), ...(by === undefined ? {} : { by }) };
  const data = { kind: 'decision', approval_id: approvalId, decision: verdict, ...more };
  // In the first dialect a text with an id is no yes.
  return { text: dialect === 'legacy' ? plain : `${verdict} ${approvalId}`, data };
}
