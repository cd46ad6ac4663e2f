// Approvals that demand somebody, and what people say to them.
import {
  advance,
  type ConversationState,
  definedAs,
  type Fact,
  fact,
  type Principal,
  type Role,
  resolveApproval,
  voterOf,
} from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { demandAt } from '../src/policy/demand-at.ts';
import type { ApproverSpec, DemandSpec } from '../src/policy/policy.ts';
import { dawn, type Happening } from './specification.ts';
import { answers, approvalOf, assistant, call, digests, happened, opened, said, tools } from './story.ts';

const { APPROVE, REJECT, RUN_AGAIN, WITHDRAW } = approvals.DecisionKind;
export const hour = 3_600_000;
export const plain: DemandSpec = { approvers: [], votes: 1, notRequester: false, remindAfterMs: [], escalations: [] };
export const group = (name: string): ApproverSpec => ({ kind: 'group', name });
export const role = (name: Role): ApproverSpec => ({ kind: 'role', name });
export const one = (name: string): ApproverSpec => ({ kind: 'user', name });

export const user = (id: string, groups: readonly string[] = [], has: Role = 'USER'): Principal => ({
  ...{ kind: 'user', id, email: `${id}@x.example`, name: id, role: has, groups, via: 'token' },
});
export const anonymous: Principal = { kind: 'anonymous' };
export const voter = (principal: Principal, claims = '') =>
  voterOf(principal, claims === '' ? { id: 'anonymous' } : { id: claims, claimed: true });

/** A destructive call that waits, by this demand. */
export const asking = (spec: DemandSpec, by = 'user:asker'): readonly Happening[] => [
  opened,
  { by: { kind: 'user', id: 'asker@x.example', principal: by }, happening: said('wipe it') },
  (state) => happened(answers({ calls: [call('remove')] }))(state).map((made) => demanding(made, spec)),
];

function demanding(made: Fact, spec: DemandSpec): Fact {
  if (made.case !== 'approvalRequested') return made;
  return fact('approvalRequested', { ...made.value, ...demandAt(spec, dawn) } as never);
}

/** What follows by itself at a time. */
export const looksAt = (now: number) => (state: ConversationState) =>
  advance(definedAs(digests, { agent: assistant, tools }), state, now);

export const votes =
  (
    who: ReturnType<typeof voter>,
    kind: typeof APPROVE | typeof REJECT | typeof RUN_AGAIN | typeof WITHDRAW = APPROVE,
    now = dawn,
    words = '',
  ) =>
  (state: ConversationState) =>
    resolveApproval(state, { approvalId: approvalOf(state), decision: { kind }, voter: who, now, said: words });

export const voted =
  (who: ReturnType<typeof voter>, kind: typeof APPROVE | typeof REJECT | typeof RUN_AGAIN = APPROVE) =>
  (state: ConversationState): readonly Fact[] => {
    const decision = votes(who, kind)(state);
    if (decision.kind !== 'append') throw new Error(JSON.stringify(decision));
    return decision.facts;
  };
