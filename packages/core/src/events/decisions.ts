/**
 * Decisions on approvals, on their way to the record and back: what a person says (`approvals.DecisionKind`) is carried as it is from
 * the edge to the decider, which records what became of the approval (`facts.Decision`). Only here is one made of the other.
 */
import { approvals, facts } from '@stopgo/proto';

const { APPROVE, REJECT, RUN_AGAIN, HAPPENED, GIVE_UP, WITHDRAW } = approvals.DecisionKind;

/** What a person can say, by the words that the choices of an approval have for it. */
export const choiceWords = {
  [APPROVE]: 'approve',
  [REJECT]: 'reject',
  [RUN_AGAIN]: 'run_again',
  [HAPPENED]: 'happened',
  [GIVE_UP]: 'give_up',
  [WITHDRAW]: 'withdraw',
} as const;

/** What a person says to an approval. */
export type SaidKind = keyof typeof choiceWords;

/** True for what a person can say; numbers of other releases and what only the platform decides are none. */
export const isSaidKind = (kind: number): kind is SaidKind => kind in choiceWords;

/** What is recorded where a person says it, and the approval takes it. */
export const recordedAs = {
  [APPROVE]: facts.Decision.APPROVED,
  [REJECT]: facts.Decision.REJECTED,
  [RUN_AGAIN]: facts.Decision.RUN_AGAIN,
  [HAPPENED]: facts.Decision.HAPPENED,
  [GIVE_UP]: facts.Decision.GIVE_UP,
  [WITHDRAW]: facts.Decision.WITHDRAWN,
} as const satisfies Readonly<Record<SaidKind, facts.Decision>>;

/** What was decided on an approval. `withdrawn`: it is not needed any more. */
export type Decided = 'approved' | 'rejected' | 'expired' | 'withdrawn' | 'run_again' | 'happened' | 'give_up';

const decidedWords: Readonly<Record<number, Decided>> = {
  [facts.Decision.APPROVED]: 'approved',
  [facts.Decision.REJECTED]: 'rejected',
  [facts.Decision.EXPIRED]: 'expired',
  [facts.Decision.WITHDRAWN]: 'withdrawn',
  [facts.Decision.RUN_AGAIN]: 'run_again',
  [facts.Decision.HAPPENED]: 'happened',
  [facts.Decision.GIVE_UP]: 'give_up',
};

/** Whether a decision lets something happen, or says that it did: what several people may have to say. */
export const saysYes = (decision: facts.Decision): boolean =>
  decision === facts.Decision.APPROVED || decision === facts.Decision.RUN_AGAIN || decision === facts.Decision.HAPPENED;

/** The word for a decision on the record. */
export function decidedWord(decision: facts.Decision): Decided {
  return decidedWords[decision] ?? 'withdrawn';
}
