// Rules, and what they demand.
import type { DemandSpec, Rule } from '../src/policy/policy.ts';

/** Two of finance, and not whoever asked. */
export const demand: DemandSpec = {
  approvers: [{ kind: 'group', name: 'finance' }],
  votes: 2,
  notRequester: true,
  remindAfterMs: [],
  escalations: [],
};
/** The same as it is recorded. */
export const recordedDemand = {
  approvers: [{ who: { case: 'group', value: 'finance' } }],
  votes: 2,
  notRequester: true,
};
/** A rule that is about every call, but for what is said. */
export const rule = (name: string, verdict: Rule['verdict'], more: Partial<Rule> = {}): Rule => ({
  name,
  verdict,
  reason: '',
  ...more,
});
