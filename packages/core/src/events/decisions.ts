import { facts } from '@stopgo/proto';

/** What was decided on an approval. `withdrawn`: by nobody, it is not needed any more. */
export type DecisionKind = 'approved' | 'rejected' | 'expired' | 'withdrawn' | 'run_again' | 'happened' | 'give_up';

const decisionKinds: Readonly<Record<number, DecisionKind>> = {
  [facts.Decision.APPROVED]: 'approved',
  [facts.Decision.REJECTED]: 'rejected',
  [facts.Decision.EXPIRED]: 'expired',
  [facts.Decision.WITHDRAWN]: 'withdrawn',
  [facts.Decision.RUN_AGAIN]: 'run_again',
  [facts.Decision.HAPPENED]: 'happened',
  [facts.Decision.GIVE_UP]: 'give_up',
};

/** The word for a decision on the wire. */
export function decisionKind(decision: facts.Decision): DecisionKind {
  return decisionKinds[decision] ?? 'withdrawn';
}
