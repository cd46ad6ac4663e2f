import { evolve, initialState, type RequestedCall } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { grantStanding } from '../src/interrupts/decide-standing.ts';
import { nobody } from '../src/policy/judge-policy.ts';
import type { Policy, Rule } from '../src/policy/policy.ts';
import { demand, recordedDemand, rule } from './rules.ts';
import { by, given, type Happening } from './specification.ts';
import {
  a2a,
  agentOf,
  answered,
  answers,
  approvalOf,
  approved,
  assistant,
  bank,
  bringsToken,
  call,
  canceled,
  claim,
  delegates,
  drives,
  drove,
  grants,
  llm,
  opened,
  returns,
  revokes,
  said,
  starts,
  tool,
  tools,
  unknown,
} from './story.ts';

const { ALLOWED, GATED, AUTO_APPROVED, REFUSED } = facts.Disposition;
const id = 'root#1.0';

/** What is recorded of an answer that asks for some calls, under some rules. */
function judged(rules: readonly Rule[], calls: readonly RequestedCall[], more: Parameters<typeof answered>[1] = {}) {
  const policy: Policy = { rules };
  const { agent = assistant } = more;
  const { log, state } = given(opened, said('go', { policy, agent }), answered({ calls }, { policy, ...more }));
  const facts = log.map((event) => event.fact);
  const responded = facts.flatMap((one) => (one.case === 'modelResponded' ? one.value.calls : []));
  const requested = facts.flatMap((one) => (one.case === 'approvalRequested' ? [one.value] : []));
  const resolved = facts.flatMap((one) => (one.case === 'approvalResolved' ? [one.value] : []));
  return { calls: responded, requested, resolved, state };
}

const requiring = new Map([...tools, ['add', tool('add', { destructive: true }, { approvalRequired: true })]]);

describe('rules decide before the defaults', () => {
  test('a call that none is about is judged as without any', () => {
    const { calls, requested } = judged([rule('a', 'deny', { tool: 'x' })], [call('add'), call('list')]);
    expect(calls).toMatchObject([
      { disposition: GATED, rule: '', policyDigest: 'policy-digest', reason: 'the tool is destructive' },
      { disposition: ALLOWED, rule: '', policyDigest: 'policy-digest' },
    ]);
    expect(requested).toMatchObject([{ rule: '', policyDigest: 'policy-digest' }]);
  });

  test('one that the defaults would ask about runs, and its approval names the rule', () => {
    const { calls, requested, resolved } = judged(
      [rule('a', 'allow', { tool: 'add', reason: 'Fine.' })],
      [call('add')],
    );
    expect(calls).toMatchObject([{ disposition: AUTO_APPROVED, rule: 'a', reason: 'Fine.' }]);
    const [{ approvalId, digest } = { approvalId: '', digest: '' }] = requested;
    expect(digest).toBe(calls[0]?.digest);
    const by = { byPolicy: true, rule: 'a', policyDigest: 'policy-digest', standingId: '' };
    expect(resolved).toMatchObject([{ approvalId, decision: facts.Decision.APPROVED, ...by }]);
  });

  test('one that the defaults let run and a rule asks about waits, for whom the rule says', () => {
    const { calls, requested, resolved } = judged([rule('a', 'ask', { tool: 'list', demand })], [call('list')]);
    expect(calls).toMatchObject([{ disposition: GATED, rule: 'a', reason: 'rule "a" wants a person to decide' }]);
    expect(requested).toMatchObject([{ rule: 'a', policyDigest: 'policy-digest', demand: recordedDemand }]);
    expect(resolved).toEqual([]);
  });

  test('one that is denied is refused, and the model is told why', () => {
    const { calls, requested } = judged([rule('a', 'deny', { reason: 'Not on Fridays.' })], [call('list')]);
    expect(calls).toMatchObject([
      {
        disposition: REFUSED,
        rule: 'a',
        error: 'The call is not allowed: Not on Fridays.',
        policyDigest: 'policy-digest',
      },
    ]);
    expect(requested).toEqual([]);
  });

  test('one that the defaults let run and a rule allows names the rule', () => {
    expect(judged([rule('a', 'allow')], [call('list')]).calls).toMatchObject([{ disposition: ALLOWED, rule: 'a' }]);
  });
});

describe('approval: require is never loosened by a rule', () => {
  test('of a tool server', () => {
    const { calls } = judged([rule('a', 'allow')], [call('add')], { tools: requiring });
    expect(calls).toMatchObject([{ disposition: GATED, rule: 'a' }]);
    expect(calls[0]?.reason).toContain('approval: require');
  });

  test('of a node', () => {
    const agent = agentOf(llm({ approval: 'require' }));
    expect(judged([rule('a', 'allow')], [call('add')], { agent }).calls).toMatchObject([{ disposition: GATED }]);
  });
});

describe('inside parallel', () => {
  const agent = agentOf({ type: 'parallel', name: 'both', onError: 'fail', children: [llm()] });
  const inside = (rules: readonly Rule[]) => {
    const policy = { rules };
    const step = 'root/0';
    const { log } = given(
      opened,
      said('go', { policy, agent }),
      answered({ calls: [call('add')], step }, { policy, agent }),
    );
    return log.flatMap(({ fact }) => (fact.case === 'modelResponded' ? fact.value.calls : []));
  };

  test('a rule that asks, asks there too', () => {
    expect(inside([rule('a', 'ask')])).toMatchObject([{ disposition: GATED, rule: 'a' }]);
  });

  test('what no rule is about runs at once', () => {
    expect(inside([rule('a', 'ask', { tool: 'x' })])).toMatchObject([{ disposition: AUTO_APPROVED, rule: '' }]);
  });
});

describe('rules count what the run has done', () => {
  const few = [
    rule('few', 'allow', { tool: 'note', when: 'run.calls_of_tool < 2' }),
    rule('rest', 'deny', { tool: 'note' }),
  ];

  test('in earlier answers, and in the same one', () => {
    expect(judged(few, [call('note'), call('note'), call('note')]).calls.map((one) => one.rule)).toEqual([
      'few',
      'few',
      'rest',
    ]);
    const policy = { rules: few };
    const { log } = given(
      ...[opened, said('go', { policy }), answered({ calls: [call('note')] }, { policy })],
      drove([starts(id)], { policy }),
      drove([returns(id)], { policy }),
      answered({ calls: [call('note'), call('note')] }, { policy }),
    );
    const rules = log
      .flatMap(({ fact }) => (fact.case === 'modelResponded' ? fact.value.calls : []))
      .map((one) => one.rule);
    expect(rules).toEqual(['few', 'few', 'rest']);
  });

  test('as far as it was not refused', () => {
    const rules = [rule('no', 'deny', { tool: 'list' }), rule('first', 'allow', { when: 'run.calls == 0' })];
    expect(judged(rules, [call('list'), call('note')]).calls.map((one) => one.rule)).toEqual(['no', 'first']);
  });

  test('and what people said yes to', () => {
    const policy = { rules: [rule('trusted', 'allow', { tool: 'remove', when: 'run.approvals > 0' })] };
    const { log } = given(
      ...[opened, said('go', { policy }), answered({ calls: [call('add')] }, { policy }), by('ada', approved())],
      drove([claim, starts(id)], { policy }),
      drove([returns(id)], { policy }),
      answered({ calls: [call('remove')] }, { policy }),
    );
    expect(log.flatMap(({ fact }) => (fact.case === 'modelResponded' ? fact.value.calls : [])).at(-1)?.rule).toBe(
      'trusted',
    );
  });
});

test('rules see whom the run answers, and the record keeps that', () => {
  const policy = { rules: [rule('boss', 'allow', { when: 'caller.role == "ADMIN" && "finance" in caller.groups' })] };
  const caller = { ...nobody, id: '1', email: 'a@b', role: 'ADMIN', groups: ['finance'], authenticated: true };
  const { log, state } = given(opened, said('go', { policy, caller }), answered({ calls: [call('add')] }, { policy }));
  expect(state.run?.caller).toEqual(caller);
  expect(log.at(-1)?.fact).toMatchObject({ case: 'approvalResolved', value: { rule: 'boss' } });
});

describe('what somebody lets run for the rest of the conversation', () => {
  const first = answered({ calls: [call('add', { a: 1 })] });
  const begun = [opened, said('go'), first];
  const granted = (how: 'same' | 'any') => [...begun, by('ada', grants(id, how)), by('ada', approved())];
  const ended = [...granted('any'), drove([claim, starts(id)]), drove([returns(id)]), answered({ text: 'Done.' })];
  const next = (
    calls: readonly RequestedCall[],
    how: 'same' | 'any' = 'any',
    more: Parameters<typeof answered>[1] = {},
  ) => {
    const before = [...granted(how), drove([claim, starts(id)]), drove([returns(id)])];
    return given(...before, answered({ calls }, more)).log;
  };
  const dispositions = (log: ReturnType<typeof next>) =>
    log
      .flatMap(({ fact }) => (fact.case === 'modelResponded' ? fact.value.calls : []))
      .slice(1)
      .map((one) => one.disposition);

  test('runs, and each approval names it and whose word it was', () => {
    const log = next([call('add', { a: 2 })]);
    expect(dispositions(log)).toEqual([AUTO_APPROVED]);
    const standingId = log.flatMap(({ fact }) =>
      fact.case === 'standingApprovalGranted' ? [fact.value.standingId] : [],
    )[0];
    const resolved = log.flatMap(({ fact }) => (fact.case === 'approvalResolved' ? [fact.value] : []));
    expect(resolved.at(-1)).toMatchObject({ byPolicy: true, standingId });
    expect(resolved.at(-1)?.reason).toContain('ada approved the like of it');
  });

  test('is of the same tool, and with its arguments if that was said', () => {
    expect(dispositions(next([call('add', { a: 1 }), call('add', { a: 2 }), call('remove')], 'same'))).toEqual([
      AUTO_APPROVED,
      GATED,
      GATED,
    ]);
  });

  test('is of the tool as it was then', () => {
    const other = new Map([...tools, ['add', { ...tool('add', { destructive: true }), pin: 'another' }]]);
    expect(dispositions(next([call('add')], 'any', { tools: other }))).toEqual([GATED]);
  });

  test('loosens no approval: require', () => {
    expect(dispositions(next([call('add')], 'any', { tools: requiring }))).toEqual([GATED]);
    const agent = agentOf(llm({ approval: 'require' }));
    expect(dispositions(next([call('add')], 'any', { agent }))).toEqual([GATED]);
  });

  test('loosens no rule that says who decides, and none that forbids', () => {
    const withRules = (rules: readonly Rule[]) => {
      const policy = { rules };
      const begins = said('more', { runId: 'run-2', policy });
      return dispositions(given(...ended, begins, answered({ calls: [call('add')] }, { policy })).log);
    };
    expect(withRules([rule('two', 'ask', { demand })])).toEqual([GATED]);
    expect(withRules([rule('no', 'deny')])).toEqual([REFUSED]);
    expect(withRules([rule('one', 'ask')])).toEqual([AUTO_APPROVED]);
  });

  test('answers no rule that cannot be evaluated, whatever the rule after it says', () => {
    const cap = rule('cap', 'deny', { tool: 'add', when: 'args.amount > 1000.0' });
    const of = (amount: unknown, ...rules: readonly Rule[]) => {
      const policy = { rules: [cap, ...rules] };
      const begins = said('more', { runId: 'run-2', policy });
      return dispositions(given(...ended, begins, answered({ calls: [call('add', { amount })] }, { policy })).log);
    };
    expect(of('5000')).toEqual([GATED]);
    expect(of('5000', rule('pay', 'ask'))).toEqual([GATED]);
    expect(of(5, rule('pay', 'ask'))).toEqual([AUTO_APPROVED]);
  });

  test('holds in later runs, until it is taken back', () => {
    const again = (...between: readonly Happening[]) =>
      dispositions(
        given(...ended, ...between, said('more', { runId: 'run-2' }), answered({ calls: [call('add')] })).log,
      );
    expect(again()).toEqual([AUTO_APPROVED]);
    expect(again(by('bob', revokes()))).toEqual([GATED]);
  });

  describe('and is taken back before a call has begun that it let run', () => {
    const story = [...ended, said('more', { runId: 'run-2' }), answered({ calls: [call('add')] })];
    const failed = expect.stringContaining('was taken back before it began; it was not run');

    test('has it fail, and the model is told', () => {
      given(...story)
        .when(drives([claim, starts(id)]))
        .thenFacts('toolCallStarted');
      const revoked = given(...story, by('bob', revokes()));
      revoked
        .when(drives([starts(id)]))
        .thenFacts(['toolCallFinished', { isError: true, content: failed }])
        .thenOwes({ kind: 'model', turn: 2 });
    });

    test('waits for a token meanwhile, is not made once that comes', () => {
      given(...story, drove([{ type: 'needToken', callId: id, prompt: 'Sign in.' }]), by('bob', revokes()), bringsToken)
        .when(drives([claim]))
        .thenFacts('runClaimed', ['toolCallFinished', { isError: true, content: failed }]);
    });

    test('has a delegation of a node fail, and with it the node', () => {
      const how = { agent: agentOf(a2a({ name: 'bank', agent: bank })) };
      const granted = [said('go', how), drove([delegates('root')], how), by('ada', grants(id)), canceled];
      const again = [said('more', { ...how, runId: 'run-2' }), drove([delegates('root')], how)];
      given(opened, ...granted, ...again, by('bob', revokes()))
        .when(drives([starts(id)], how))
        .thenFacts(
          ['delegationFinished', { isError: true, content: failed, agent: 'bank' }],
          ['stepFinished', { failed: true }],
          ['runFailed', { text: failed }],
        );
    });

    test('lets a call that is safe to repeat run: nobody could tell that it has not', () => {
      const put = (more: Parameters<typeof said>[1] = {}) => [said('go', more), answered({ calls: [call('put')] })];
      const granted = [...put(), by('ada', grants(id)), canceled, ...put({ runId: 'run-2' })];
      given(opened, ...granted, by('bob', revokes()))
        .when(drives([claim]))
        .thenOwes({ kind: 'call', fenced: false });
    });

    test('lets one go on that has begun, and one that another lets run', () => {
      const started = given(...story, drove([starts(id)]), by('bob', revokes()));
      started.when(drives([returns(id)])).thenFacts(['toolCallFinished', { isError: false }]);
      const two = [...begun, by('ada', grants(id, 'any')), by('ada', grants(id, 'same')), by('ada', approved())];
      const oneLeft = [drove([claim, starts(id)]), drove([returns(id)]), answered({ calls: [call('add')] })];
      given(...two, ...oneLeft, by('bob', revokes()))
        .when(drives([starts(id.replace('1.0', '2.0'))]))
        .thenFacts('toolCallStarted');
    });
  });

  test('is granted once', () => {
    const { state } = given(...begun, by('ada', grants(id)));
    const approvalId = approvalOf(state, id);
    expect(grantStanding(state, { approvalId, callArguments: 'any' })).toMatchObject({ kind: 'already' });
    expect(grantStanding(state, { approvalId, callArguments: 'same' })).toMatchObject({ kind: 'append' });
    expect(grantStanding(state, { approvalId: 'none', callArguments: 'any' })).toEqual({ kind: 'past' });
  });

  test('is not granted where a rule says who decides', () => {
    const policy = { rules: [rule('two', 'ask', { demand })] };
    const { state } = given(opened, said('go', { policy }), answered({ calls: [call('add')] }, { policy }));
    const approvalId = approvalOf(state, id);
    expect(grantStanding(state, { approvalId, callArguments: 'any' })).toEqual({ kind: 'demanded' });
  });

  test('is not granted of what may have happened', () => {
    const { state } = given(...begun, by('ada', approved()), drove([claim, starts(id)]), drove([unknown(id)]));
    const approvalId = approvalOf(state, id);
    expect(grantStanding(state, { approvalId, callArguments: 'any' })).toEqual({ kind: 'past' });
  });
});

test('a run whose policy is not there is not judged without it', () => {
  const policy = { rules: [rule('a', 'deny')] };
  const { state } = given(opened, said('go', { policy }));
  expect(() => answers({ calls: [call('list')] })(state)).toThrow('the policy policy-digest, which step root of run');
});

test('a state without a policy is what it was before there were any', () => {
  const { log, state } = given(opened, said('go'), answered({ calls: [call('add')] }));
  expect(Object.keys(log.reduce(evolve, initialState))).not.toContain('standing');
  for (const key of ['policyDigest', 'caller', 'soFar']) expect(Object.keys(state.run ?? {})).not.toContain(key);
  expect(Object.keys(state.run?.calls[id] ?? {})).not.toContain('rule');
});
