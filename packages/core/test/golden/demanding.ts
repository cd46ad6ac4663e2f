import { assignApproval, definedAs, editCall, resolveApproval } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import type { Policy } from '../../src/policy/policy.ts';
import { anonymous, asking, group, hour, looksAt, one, plain, user, voted, voter, votes } from '../demanding.ts';
import { rule } from '../rules.ts';
import { by, dawn, type Happening } from '../specification.ts';
import {
  answered,
  approvalOf,
  assistant,
  call,
  claim,
  digestsWith,
  drove,
  opened,
  returns,
  said,
  starts,
  tools,
  unknown,
} from '../story.ts';

const id = 'root#1.0';
const ana = voter(user('ana', ['finance']));
const bob = voter(user('bob', ['finance']));
const finance = { ...plain, approvers: [group('finance')] };
const demanding = {
  ...finance,
  expires: { afterMs: 4 * hour, verdict: 'reject' as const },
  remindAfterMs: [hour],
  escalations: [{ afterMs: 2 * hour, to: [one('eve@x.example')] }],
};
const lookedAt =
  (now: number): Happening =>
  (state) =>
    looksAt(now)(state).facts;
const rejectedWith = (said: string) => (state: Parameters<ReturnType<typeof votes>>[0]) => {
  const decision = votes(ana, approvals.DecisionKind.REJECT, dawn, said)(state);
  return decision.kind === 'append' ? decision.facts : [];
};

const takenBackFor = (said: string) => (state: Parameters<ReturnType<typeof votes>>[0]) => {
  const cleo = voter(anonymous, 'cleo');
  const decision = votes(cleo, approvals.DecisionKind.WITHDRAW, dawn, said)(state);
  return decision.kind === 'append' ? decision.facts : [];
};

const happenedWith = (who: typeof ana, result: string) => (state: Parameters<ReturnType<typeof votes>>[0]) => {
  const decision = resolveApproval(state, {
    ...{ approvalId: approvalOf(state), voter: who, now: dawn },
    decision: { kind: approvals.DecisionKind.HAPPENED, result },
  });
  return decision.kind === 'append' ? decision.facts : [];
};

/** Whoever asked for it, or wrote it, does not decide what happens to one. */
const apart: Policy = {
  rules: [rule('apart', 'ask', { when: 'args.id == "one"', demand: { ...finance, notRequester: true } })],
};

const editedTo = (argumentsJson: string, policy?: Policy) => (state: Parameters<ReturnType<typeof votes>>[0]) => {
  const command = { approvalId: approvalOf(state), voter: ana, now: dawn, said: 'Only this one.', argumentsJson };
  const decision = editCall(
    state,
    command,
    definedAs(digestsWith(policy), { agent: assistant, tools, ...(policy && { policy }) }),
  );
  return decision.kind === 'append' ? decision.facts : [];
};

const assignedTo = (to: 'ana' | undefined) => (state: Parameters<ReturnType<typeof votes>>[0]) => {
  const [anas, bobs] = ['ana', 'bob'].map((name) => user(name, ['finance']));
  const decision = assignApproval(state, {
    ...{ approvalId: approvalOf(state), now: dawn, by: { principal: bobs as typeof anonymous, voter: bob } },
    to: to && { principal: anas as typeof anonymous, voter: ana },
  });
  return decision.kind === 'append' ? decision.facts : [];
};

/** Approvals that demand somebody, and what becomes of them. */
export const demandingScenarios: Readonly<Record<string, readonly Happening[]>> = {
  quorum: [
    ...asking({ ...finance, votes: 2 }),
    by('ana@x.example', voted(ana)),
    by('bob@x.example', voted(bob)),
    drove([claim, starts(id)]),
  ],
  'happened-by-two': [
    ...asking({ ...finance, votes: 2 }),
    ...[ana, bob].map((who) => by(who.name, voted(who))),
    ...[drove([claim, starts(id)]), drove([unknown(id)])],
    by('ana@x.example', happenedWith(ana, 'failed')),
    by('bob@x.example', happenedWith(bob, 'booked')),
    by('ana@x.example', happenedWith(ana, 'booked')),
    drove([claim]),
  ],
  edited: [
    ...asking({ ...finance, votes: 2 }),
    by('bob@x.example', voted(bob)),
    by('ana@x.example', editedTo('{"id":"one"}')),
    drove([claim, starts(id)]),
    drove([returns(id, 'removed')]),
  ],
  assigned: [
    ...asking({ ...finance, votes: 2 }),
    by('bob@x.example', assignedTo('ana')),
    by('bob@x.example', assignedTo(undefined)),
    by('bob@x.example', assignedTo('ana')),
    by('bob@x.example', voted(bob)),
    by('ana@x.example', voted(ana)),
  ],
  'edited-apart': [
    opened,
    { by: { kind: 'user', id: 'cleo', principal: 'claimed:cleo' }, happening: said('wipe it', { policy: apart }) },
    answered({ calls: [call('remove', { id: 'all' })] }, { policy: apart }),
    by('ana@x.example', editedTo('{"id":"one"}', apart)),
    by('bob@x.example', voted(bob)),
    drove([claim, starts(id)], { policy: apart }),
    drove([returns(id, 'removed')], { policy: apart }),
  ],
  'nobody-in-time': [...asking(demanding), ...[1, 2, 4].map((hours) => lookedAt(dawn + hours * hour)), drove([claim])],
  'rejected-for-a-reason': [...asking(finance), by('ana@x.example', rejectedWith('too much')), drove([claim])],
  'taken-back': [
    ...asking({ ...finance, votes: 2 }, 'claimed:cleo'),
    by('bob@x.example', voted(bob)),
    by('cleo', takenBackFor('wrong one')),
    drove([claim]),
  ],
};
