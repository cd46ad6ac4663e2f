import { approvals, facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import type { DemandSpec, Policy, Rule } from '../src/policy/policy.ts';
import { user, voted, voter } from './demanding.ts';
import { demand, recordedDemand, rule } from './rules.ts';
import { by, given, type Happening } from './specification.ts';
import { answered, call, changed, claim, drove, opened, said, starts, tool, unknown } from './story.ts';

/** What was demanded of a call is demanded of whatever is asked about it later. */
const { RUN_AGAIN } = approvals.DecisionKind;
const id = 'root#1.0';

/** A call that two of finance have said yes to, who did not ask for it. */
const allowedByTwo = (policy: Policy): readonly Happening[] => [
  opened,
  { by: { kind: 'user', id: 'asker@x.example', principal: 'user:asker' }, happening: said('go', { policy }) },
  answered({ calls: [call('add')] }, { policy }),
  ...['ana', 'bob'].map((name) => by(name, voted(voter(user(name, ['finance']))))),
];

describe('a tool that changed', () => {
  const policy = {
    rules: [
      rule('two', 'ask', { tool: 'add', annotations: { destructive: true }, demand }),
      rule('no', 'deny', { annotations: { openWorld: false } }),
    ],
  };
  const after = (current: ReturnType<typeof tool>, more: readonly Rule[] = []) => {
    const all = { rules: [...policy.rules, ...more] };
    return afterUnder(all, current);
  };
  const afterUnder = (policy: Policy, current: ReturnType<typeof tool>) =>
    given(
      ...allowedByTwo(policy),
      drove([claim, starts(id)], { policy }),
      drove([changed(id, { ...current, pin: 'another' })], { policy }),
    ).log.map(({ fact }) => fact);

  test('is asked about with the same demand', () => {
    const requested = after(tool('add', { destructive: true })).flatMap((one) =>
      one.case === 'approvalRequested' ? [one.value] : [],
    );
    expect(requested).toMatchObject([{ demand: recordedDemand }, { demand: recordedDemand, rule: 'two' }]);
  });

  test('also if no rule is about it any more', () => {
    const requested = after(tool('add')).flatMap((one) => (one.case === 'approvalRequested' ? [one.value] : []));
    expect(requested).toMatchObject([{ demand: recordedDemand }, { demand: recordedDemand, rule: 'two' }]);
  });

  test('also if another rule is about it now that demands less, or something else', () => {
    const requests = (...rules: readonly Rule[]) =>
      after(tool('add'), rules).flatMap((one) => (one.case === 'approvalRequested' ? [one.value] : []));
    expect(requests(rule('rest', 'ask'))[1]).toMatchObject({ demand: recordedDemand, rule: 'two' });
    const three: DemandSpec = { ...demand, approvers: [], votes: 3, notRequester: false };
    expect(requests(rule('rest', 'ask', { demand: three }))[1]).toMatchObject({
      demand: { ...recordedDemand, votes: 3 },
      rule: 'rest',
    });
  });

  test('is not made if nobody may decide both by what was asked for and by the rule that is about it now', () => {
    const support: DemandSpec = { ...demand, approvers: [{ kind: 'group', name: 'support' }] };
    const all = after(tool('add'), [rule('rest', 'ask', { demand: support })]);
    expect(all.filter((one) => one.case === 'approvalRequested')).toHaveLength(1);
    expect(all).toContainEqual(
      expect.objectContaining({
        case: 'toolCallFinished',
        value: expect.objectContaining({
          isError: true,
          content:
            'The call is not allowed: the definition of add changed, and nobody may decide both by what was asked for and by rule "rest".',
        }),
      }),
    );
  });

  test('and is in doubt after that is decided by those who had to allow it at last', () => {
    const timed: DemandSpec = {
      ...demand,
      expires: { afterMs: 9_000, verdict: 'reject' },
      remindAfterMs: [1_000],
      escalations: [{ afterMs: 2_000, to: [{ kind: 'role', name: 'ADMIN' }] }],
    };
    const policy = {
      rules: [rule('two', 'ask', { annotations: { destructive: true }, demand: timed }), rule('one', 'ask')],
    };
    const story = [
      opened,
      { by: { kind: 'user', id: 'asker@x.example', principal: 'user:asker' }, happening: said('go', { policy }) },
      answered({ calls: [call('note')] }, { policy }),
      by('ana', voted(voter(user('ana')))),
      drove([claim, starts(id)], { policy }),
      drove([changed(id, { ...tool('note', { destructive: true }), pin: 'another' })], { policy }),
      ...['ana', 'bob'].map((name) => by(name, voted(voter(user(name, ['finance']))))),
      drove([claim, starts(id, 2)], { policy }),
      drove([unknown(id, 2)], { policy }),
    ] as const;
    const lastRequest = (...happenings: readonly Happening[]) =>
      given(...happenings)
        .log.map(({ fact }) => fact)
        .findLast((one) => one.case === 'approvalRequested')?.value;
    const doubt = lastRequest(...story);
    expect(doubt).toMatchObject({ kind: facts.ApprovalKind.IN_DOUBT, demand: recordedDemand });
    expect(doubt?.expiresAt, 'it is not decided by waiting').toBeUndefined();
    expect(doubt?.demand?.remindAt).toHaveLength(1);
    expect(doubt?.demand?.escalations).toMatchObject([{ approvers: [{ who: { case: 'role', value: 'ADMIN' } }] }]);
    const again = lastRequest(
      ...story,
      ...['ana', 'bob'].map((name) => by(name, voted(voter(user(name, ['finance'])), RUN_AGAIN))),
      drove([claim, starts(id, 3)], { policy }),
      drove([changed(id, { ...tool('note'), pin: 'a third' }, 3)], { policy }),
    );
    expect(again).toMatchObject({ kind: facts.ApprovalKind.TOOL, demand: recordedDemand });
    expect(again?.expiresAt, 'what has not run is, as it was').toBeDefined();
  });

  test('is refused if a rule forbids it now', () => {
    const finished = after(tool('add', { openWorld: false })).flatMap((one) =>
      one.case === 'toolCallFinished' ? [one.value] : [],
    );
    expect(finished).toMatchObject([
      { isError: true, content: 'The call is not allowed: rule "no" does not allow it.' },
    ]);
  });
});

test('a call in doubt is decided by those who had to allow it', () => {
  const policy = { rules: [rule('two', 'ask', { demand })] };
  const { log } = given(
    ...allowedByTwo(policy),
    drove([claim, starts(id)], { policy }),
    drove([unknown(id)], { policy }),
  );
  const doubt = log.map(({ fact }) => fact).findLast((one) => one.case === 'approvalRequested');
  expect(doubt).toMatchObject({ value: { kind: facts.ApprovalKind.IN_DOUBT, demand: recordedDemand, rule: 'two' } });
});
