import {
  advance,
  type ConversationState,
  definedAs,
  editCall,
  evolve,
  type Fact,
  fact,
  grantStanding,
  promptMessages,
  TranscriptBuilder,
  ticketOf,
} from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveApproval } from '../src/interrupts/decide-approval.ts';
import type { DemandSpec, Policy } from '../src/policy/policy.ts';
import { anonymous, hour, one, plain, voter } from './demanding.ts';
import { rule } from './rules.ts';
import { dawn, given, type Happening, recorded } from './specification.ts';
import {
  answered,
  approvalOf,
  assistant,
  call,
  changed,
  claim,
  digestsWith,
  drove,
  grants,
  happened,
  opened,
  returns,
  said,
  starts,
  tool,
  tools,
  unknown,
} from './story.ts';

/** Somebody changes the arguments of a call that waits. */
const { APPROVE, REJECT, WITHDRAW } = approvals.DecisionKind;
const id = 'root#1.0';
const [ana, bob, eve] = [voter(anonymous, 'ana'), voter(anonymous, 'bob'), voter(anonymous, 'eve')];
const two: DemandSpec = { ...plain, approvers: [one('ana'), one('bob')], votes: 2 };
const policy: Policy = {
  rules: [
    rule('never', 'deny', { when: 'args.n > 1000.0', reason: 'Not so many.' }),
    rule('many', 'ask', { when: 'args.n > 100.0', demand: two }),
    rule('few', 'allow', { when: 'args.n < 10.0' }),
  ],
};

const asks = (n: number, rules = policy, name = 'remove'): Happening[] => [
  opened,
  said('wipe', { policy: rules }),
  answered({ calls: [call(name, { n })] }, { policy: rules }),
];

const edits =
  (
    n: unknown,
    who = ana,
    { rules = policy, now = dawn, approvalId }: { rules?: Policy; now?: number; approvalId?: string } = {},
  ) =>
  (state: ConversationState) =>
    editCall(
      state,
      {
        approvalId: approvalId ?? approvalOf(state),
        argumentsJson: JSON.stringify({ n }),
        voter: who,
        now,
        said: 'Less.',
      },
      definedAs(digestsWith(rules), { agent: assistant, tools, policy: rules }),
    );

const made =
  (n: unknown, who = ana, rules = policy) =>
  (state: ConversationState): readonly Fact[] => {
    const decision = edits(n, who, { rules })(state);
    if (decision.kind !== 'append') throw new Error(JSON.stringify(decision));
    return decision.facts;
  };

describe('a call that somebody approves with other arguments', () => {
  test('is recorded as it was and as it is, asked for anew and approved', () => {
    const before = given(...asks(50));
    const old = before.state.run?.calls[id];
    const edited = before
      .when(edits(5))
      .thenFacts(
        ['approvalResolved', { decision: facts.Decision.WITHDRAWN, approvalId: approvalOf(before.state) }],
        ['callEdited', { callId: id, beforeDigest: old?.digest, beforeRevision: old?.revision, said: 'Less.' }],
        ['approvalRequested', { rule: 'few', callRevision: before.state.revision + 2 }],
        ['approvalResolved', { decision: facts.Decision.APPROVED }],
      );
    const { state } = edited;
    expect(state.run?.calls[id]).toMatchObject({ phase: 'ready', gated: true, revision: before.state.revision + 2 });
    // The old approval lets nothing run, even if the log ended right after the change.
    const cut = given(...asks(50), (now) => made(5)(now).slice(0, 2)).state;
    expect(cut.run?.calls[id]).toMatchObject({ phase: 'waiting', digest: state.run?.calls[id]?.digest });
    // What a bridge compares with what it is about to send.
    expect(ticketOf(state, 'run-1', id)?.digest).toBe(state.run?.calls[id]?.digest);
    expect(state.run?.calls[id]?.digest).not.toBe(old?.digest);
  });

  test('waits for those whom the changed call demands, whoever said yes before', () => {
    const waits = given(...asks(200), made(300, ana));
    expect(waits.state.run?.calls[id]?.phase).toBe('waiting');
    waits.when(edits(300)).thenRefused({ kind: 'uneditable' });
    waits
      .when((state) =>
        resolveApproval(state, { approvalId: approvalOf(state), decision: { kind: APPROVE }, voter: bob }),
      )
      .thenFacts(['approvalResolved', { decision: facts.Decision.APPROVED }]);
    // eve may change what anybody may decide, and is not asked about what it is then.
    const byEve = given(...asks(50), made(300, eve));
    expect(byEve.log.at(-1)?.fact).toMatchObject({ case: 'approvalRequested', value: { rule: 'many' } });
    expect(byEve.state.run?.calls[id]?.phase).toBe('waiting');
  });

  test('is left alone by who may not decide it, by what a rule forbids, and if nothing changes', () => {
    given(...asks(200))
      .when(edits(5, eve))
      .thenRefused({ kind: 'not_entitled' });
    given(...asks(50))
      .when(edits(2000))
      .thenRefused({ kind: 'uneditable', reason: expect.stringContaining('Not so many.') });
    given(...asks(50))
      .when(edits(50))
      .thenRefused({ kind: 'uneditable' });
    given(...asks(50), made(60))
      .when(edits(70, ana, { approvalId: 'another' }))
      .thenRefused({ kind: 'past' });
  });

  test('is not changed any more when it may have happened', () => {
    const doubtful = given(
      ...asks(50),
      made(60),
      drove([claim, starts(id)], { policy }),
      drove([unknown(id)], { policy }),
    );
    doubtful.when(edits(70)).thenRefused({ kind: 'uneditable', reason: expect.stringContaining('may have happened') });
  });

  test('is judged by what was called before it, and not by itself', () => {
    const rules: Policy = { rules: [rule('first', 'ask', { when: 'run.calls_of_tool == 0', demand: two })] };
    given(...asks(50, rules))
      .when(edits(60, ana, { rules }))
      .thenFacts('approvalResolved', 'callEdited', ['approvalRequested', { rule: 'first' }], 'approvalVoted');
  });

  test('waits for a person also where the like of it is approved', () => {
    const stands = given(...asks(50), grants(id));
    stands
      .when(edits(60, eve))
      .thenFacts('approvalResolved', 'callEdited', 'approvalRequested', ['approvalResolved', { byPolicy: false }]);
  });

  test('is not what somebody who looked at it before lets run for the rest of the conversation', () => {
    const rules = { rules: [] };
    const before = given(...asks(50, rules));
    const approvalId = approvalOf(before.state);
    const after = before.when(edits(5_000, ana, { rules })).state;
    for (const callArguments of ['same', 'any'] as const)
      expect(grantStanding(after, { approvalId, callArguments })).toEqual({ kind: 'past' });
    const now = after.run?.calls[id]?.approvalId ?? '';
    expect(grantStanding(after, { approvalId: now, callArguments: 'same' })).toMatchObject({ kind: 'append' });
  });

  test('is decided by somebody else than who changed it, where whoever asked is kept out', () => {
    const apart: DemandSpec = { ...plain, notRequester: true };
    const rules: Policy = {
      rules: [
        rule('apart', 'ask', { when: 'args.n > 100.0', demand: apart }),
        rule('pair', 'ask', { when: 'args.n > 50.0', demand: { ...plain, votes: 2 } }),
      ],
    };
    const begun = asks(50, rules).with(1, {
      by: { kind: 'user', id: 'cleo', principal: 'claimed:cleo' },
      happening: said('wipe', { policy: rules }),
    });
    const byAna = made(200, ana, rules);
    const edited = given(...begun, byAna);
    expect(edited.log.at(-1)?.fact).toMatchObject({
      case: 'approvalRequested',
      value: { demand: { notRequester: true, authors: [ana.key] } },
    });
    const yes = (who: typeof ana) => (state: ConversationState) =>
      resolveApproval(state, { approvalId: approvalOf(state), decision: { kind: APPROVE }, voter: who });
    edited
      .when(yes(ana))
      .thenRefused({ kind: 'not_entitled', reason: expect.stringContaining('changed its arguments') });
    edited.when(yes(bob)).thenFacts(['approvalResolved', { decision: facts.Decision.APPROVED }]);
    // Who changed it first may have written what the second has left as it was.
    const twice = given(...begun, byAna, made(300, bob, rules));
    twice.when(yes(ana)).thenRefused({ kind: 'not_entitled' });
    twice.when(yes(bob)).thenRefused({ kind: 'not_entitled' });
    twice.when(yes(eve)).thenFacts('approvalResolved');
    given(...begun)
      .when(edits(200, voter(anonymous), { rules }))
      .thenRefused({ kind: 'uneditable', reason: expect.stringContaining('X-Approver') });
    given(...begun, made(60, voter(anonymous), rules))
      .when(edits(200, bob, { rules }))
      .thenRefused({ kind: 'uneditable', reason: expect.stringContaining('gave no name') });

    // Who records it all the same has recorded no yes; in logs of before it was one.
    const recordedYes = (state: ConversationState): readonly Fact[] => {
      const approvalId = approvalOf(state);
      const who = { key: ana.key, name: ana.name, claimed: true };
      return [
        fact('approvalResolved', {
          approvalId,
          runId: 'run-1',
          decision: facts.Decision.APPROVED,
          callId: id,
          voter: who,
        }),
      ];
    };
    expect(given(...begun, byAna, recordedYes).state.run?.calls[id]?.phase).toBe('waiting');
    const before = (state: ConversationState) =>
      byAna(state).map((one) =>
        one.case === 'approvalRequested' && one.value.demand
          ? fact('approvalRequested', { ...one.value, demand: { ...one.value.demand, authors: [] } })
          : one,
      );
    expect(given(...begun, before, recordedYes).state.run?.calls[id]?.phase).toBe('ready');
  });

  test('is decided by somebody else than who changed it also when its tool changes, or nobody knows whether it ran', () => {
    const apart: DemandSpec = { ...plain, notRequester: true };
    const rules: Policy = { rules: [rule('apart', 'ask', { when: 'args.n > 100.0', demand: apart })] };
    const how = { policy: rules };
    const ready = [
      ...asks(50, rules).with(1, {
        by: { kind: 'user', id: 'cleo', principal: 'claimed:cleo' },
        happening: said('wipe', how),
      }),
      made(200, ana, rules),
      happened((state) =>
        resolveApproval(state, { approvalId: approvalOf(state), decision: { kind: APPROVE }, voter: bob }),
      ),
      drove([claim, starts(id)], how),
    ];
    const doubtful = given(...ready, drove([unknown(id)], how));
    const another = given(...ready, drove([changed(id, tool('remove', { destructive: true }, { pin: 'other' }))], how));
    for (const { log } of [doubtful, another])
      expect(log.findLast(({ fact: one }) => one.case === 'approvalRequested')?.fact.value).toMatchObject({
        demand: { notRequester: true, authors: [ana.key] },
      });
  });

  test('waits no longer than before: its end stays, others decide no later, and nobody is reminded twice', () => {
    const later = { afterMs: 4 * hour, to: [one('eve')] };
    const timed: DemandSpec = {
      ...{ ...plain, approvers: [one('ana')], remindAfterMs: [hour, 3 * hour], escalations: [later] },
      expires: { afterMs: 6 * hour, verdict: 'reject' },
    };
    const rules: Policy = {
      rules: [
        rule('timed', 'ask', { when: 'args.n > 100.0', demand: timed }),
        rule('later others', 'ask', {
          ...{ when: 'args.n > 80.0', demand: { ...timed, escalations: [{ afterMs: 3 * hour, to: [one('bob')] }] } },
        }),
        rule('other', 'ask', { when: 'args.n > 50.0', demand: { ...timed, approvers: [one('bob')] } }),
      ],
    };
    const at = (hours: number) => dawn + hours * hour;
    const after = (n: number, all: Policy) =>
      given(...asks(200, all)).when(edits(n, ana, { rules: all, now: at(2) })).state;
    const last = (state: ConversationState) => Object.values(state.run?.interrupts ?? {}).at(-1);
    expect(last(given(...asks(200, rules)).state)).toMatchObject({
      demand: { expires: { at: at(6) }, remindAt: [at(1), at(3)], escalations: [{ at: at(4) }] },
    });
    // The same people are asked: eve decides from when she would have.
    const two: Policy = { rules: [rule('timed', 'ask', { demand: { ...timed, votes: 2 } })] };
    expect(last(after(300, two))).toMatchObject({
      demand: { votes: 2, expires: { at: at(6) }, remindAt: [at(3)], escalations: [{ at: at(4) }] },
    });
    // Others: they have their own times, within the same end.
    expect(last(after(60, rules))).toMatchObject({
      demand: { approvers: [{ name: 'bob' }], expires: { at: at(6) }, remindAt: [at(3), at(5)], escalations: [] },
    });
    expect(last(after(90, rules))).toMatchObject({ demand: { escalations: [{ at: at(5) }] } });
    // What no rule asks anything of ends all the same.
    expect(last(after(20, rules))).toMatchObject({ demand: { approvers: [], votes: 1, expires: { at: at(6) } } });
  });

  test('is told to the model with what came of it; its own call stays as it made it', () => {
    const { log } = given(
      ...asks(50),
      made(60),
      drove([claim, starts(id)], { policy }),
      drove([returns(id, 'gone')], { policy }),
    );
    const transcript = new TranscriptBuilder();
    for (const event of log) transcript.add(event);
    const edit = log.find(({ fact }) => fact.case === 'callEdited');
    expect(transcript.argumentsAt(edit?.revision ?? 0, id)).toBe('{"n":60}');
    const [, asked, result] = promptMessages(transcript, { kind: 'conversation' });
    expect(asked).toMatchObject({ calls: [{ argumentsJson: '{"n":50}' }] });
    expect(result).toMatchObject({
      results: [{ content: expect.stringMatching(/changed the arguments.*\{"n":60\}\n.*\ngone$/s) }],
    });
  });
});

const who = fc.constantFrom(ana, bob, eve);
const step = fc.oneof(
  fc.record({
    what: fc.constant('edit' as const),
    who,
    n: fc.constantFrom(5, 50, 60, 200, 300, 2000),
    hours: fc.nat(9),
  }),
  fc.record({
    what: fc.constantFrom('yes' as const, 'no' as const, 'withdraw' as const, 'look' as const),
    who,
    hours: fc.nat(9),
    n: fc.constant(0),
  }),
);

test('of edits, votes, withdrawals and the end in any order one wins, and no call runs without what it demands as it is', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), fc.constantFrom(50, 200), (steps, first) => {
      const ends: DemandSpec = { ...two, expires: { afterMs: 5 * hour, verdict: 'reject' } };
      const rules: Policy = {
        rules: policy.rules.map((each) => (each.name === 'many' ? { ...each, demand: ends } : each)),
      };
      let { state } = given(...asks(first, rules));
      const initial = approvalOf(state);
      let current = initial;
      let n: number = first;
      let since = 0;
      let yes = new Set<string>();
      let isOver = false;
      for (const one of [...steps].sort((a, b) => a.hours - b.hours)) {
        const now = dawn + one.hours * hour;
        const kind = { yes: APPROVE, no: REJECT, withdraw: WITHDRAW, edit: APPROVE, look: APPROVE }[one.what];
        const decision =
          one.what === 'edit'
            ? edits(one.n, one.who, { rules, now, approvalId: current })(state)
            : one.what === 'look'
              ? looksAtWith(rules, now)(state)
              : resolveApproval(state, { approvalId: current, decision: { kind }, voter: one.who, now });
        const all = 'facts' in decision ? decision.facts : [];
        if (isOver && one.what !== 'look') expect(all, 'what is decided stays decided').toEqual([]);
        if (one.what === 'edit' && all.length > 0) {
          expect(one.n, 'what is forbidden is not called').toBeLessThan(1000);
          if (n > 100) expect(one.who, 'who may not decide it does not change it').not.toBe(eve);
          if (n > 100) expect(one.hours - since, 'nothing is changed after the end').toBeLessThan(5);
          [n, since, yes] = [one.n, one.hours, new Set()];
        }
        for (const event of recorded(all, state.revision)) {
          state = evolve(state, { ...event, time: now });
          const { fact } = event;
          if (fact.case === 'approvalRequested') current = fact.value.approvalId;
          if (fact.case === 'approvalVoted') yes.add(one.who.key);
          if (fact.case !== 'approvalResolved' || fact.value.approvalId !== current) continue;
          if (one.what === 'edit' && fact.value.decision === facts.Decision.WITHDRAWN) continue;
          isOver = true;
          if (fact.value.decision === facts.Decision.APPROVED) yes.add(one.who.key);
        }
        if (state.run?.calls[id]?.phase !== 'ready') continue;
        const needed = n > 100 ? 2 : 1;
        expect(yes.size, `so many have said yes to ${n}`).toBe(needed);
        if (needed === 2) expect(yes.has(eve.key)).toBe(false);
        expect(state.run.calls[id]?.approvalId).toBe(current);
      }
    }),
    { numRuns: 300 },
  );
});

const looksAtWith = (rules: Policy, now: number) => (state: ConversationState) =>
  advance(definedAs(digestsWith(rules), { agent: assistant, tools, policy: rules }), state, now);
