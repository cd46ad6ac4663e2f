import {
  advance,
  type ConversationState,
  calledPrompt,
  type Fact,
  hasWork,
  type RunCommand,
  type RunState,
  TranscriptBuilder,
} from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import {
  answered,
  answers,
  asked,
  callsAgent,
  completes,
  definitionsOf,
  drives,
  drove,
  limits,
  platformAgent,
  tier1,
  works,
} from './agents.ts';
import { dawn, given, type Happening } from './specification.ts';
import { call, opened } from './story.ts';

const child = 'root#1.0/root';
const begun = [opened, asked('I want a refund.')] as const;
const calling = [
  ...begun,
  answered({ text: 'I ask billing.', calls: [callsAgent('support/billing', 'Refund it.')] }),
] as const;
const working = [...calling, drove([works('root#1.0', 'support/billing')])] as const;

const callOf = (state: ConversationState, id: string) => (state.run as RunState).calls[id];

describe('an agent that is called', () => {
  test('is looked up by name, and works in a part of the run of its own', () => {
    given(...begun)
      .when(answers({ calls: [callsAgent('support/billing')] }))
      .thenFacts(['modelResponded', {}])
      .thenOwes({ kind: 'agent', id: 'root#1.0' });
    given(...calling)
      .when(drives([works('root#1.0', 'support/billing')]))
      .thenFacts(
        [
          'agentCalled',
          { callId: 'root#1.0', agent: 'support/billing', agentDigest: 'agent support/billing', contextRevision: 5 },
        ],
        ['stepStarted', { stepId: child, node: 'support/billing' }],
      )
      .thenOwes({ kind: 'model', stepId: child, turn: 1 });
  });

  test('returns what it says came of its task, and its caller is asked again', () => {
    given(...working)
      .when(
        answers(
          { step: child, calls: [completes('Refunded.', 'PARTIAL', { confidence: 0.5 })] },
          { now: dawn + 60_000 },
        ),
      )
      .thenFacts(
        'modelResponded',
        ['stepFinished', { stepId: child, failed: false, completion: expect.objectContaining({ confidence: 0.5 }) }],
        ['agentReturned', { callId: 'root#1.0', isError: false, durationMs: 54_000 }],
      )
      .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
  });

  test('says all of it to the model that called it', () => {
    const { log } = given(
      ...working,
      answered(
        { step: child, calls: [completes('Refunded.', 'PARTIAL', { confidence: 0.5 })] },
        { now: dawn + 60_000 },
      ),
    );
    const transcript = new TranscriptBuilder();
    for (const event of log) transcript.add(event);
    expect(JSON.parse(transcript.resultOf('run-1', 'root#1.0')?.content ?? '')).toEqual({
      success: true,
      result: 'Refunded.',
      metadata: {
        status: 'PARTIAL',
        confidence: 0.5,
        requiresFollowup: false,
        agentSource: 'git',
        gitCommit: 'c0ffee',
        executionTime: 54_000,
      },
    });
  });

  test('leaves nothing but its result in the state, however much it did', () => {
    const before = given(...calling).state;
    const after = given(
      ...working,
      answered({ step: child, calls: [callsAgent('support/clerk')] }, { more: [clerk] }),
      drove([works(`${child}#1.0`, 'support/clerk')], { more: [clerk] }),
      answered({ step: `${child}#1.0/root`, calls: [completes('Filed.')] }, { more: [clerk] }),
      answered({ step: child, calls: [completes('Refunded.')] }, { more: [clerk] }),
    ).state;
    expect(Object.keys(after.run?.steps ?? {})).toEqual(Object.keys(before.run?.steps ?? {}));
    expect(Object.keys(after.run?.calls ?? {})).toEqual(['root#1.0']);
    expect(callOf(after, 'root#1.0')).toMatchObject({ phase: 'done', outcome: 'result' });
    expect(callOf(after, 'root#1.0')).not.toHaveProperty('called');
    expect(after.run?.agentCalls).toBe(2);
  });

  test('that has failed is an error to its caller, which goes on', () => {
    given(...working)
      .when(answers({ step: child, calls: [completes('No such order.', 'FAILED')] }))
      .thenFacts('modelResponded', ['stepFinished', { failed: true }], ['agentReturned', { isError: true }])
      .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
    given(...working)
      .when(drives([{ type: 'modelFailed', stepId: child, turn: 1, model: 'm', message: 'no', text: 'LLM error: no' }]))
      .thenFacts('modelFailed', ['stepFinished', { failed: true }], ['agentReturned', { isError: true }])
      .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
  });

  test('works beside others that were called in the same answer, and is awaited by its caller alone', () => {
    const { state } = given(
      ...begun,
      answered({ calls: [callsAgent('support/billing'), callsAgent('support/billing', 'Look.')] }),
      drove([works('root#1.0', 'support/billing'), works('root#1.1', 'support/billing')]),
    );
    const owed = advance(definitionsOf(), state, dawn).effects;
    expect(owed.map(({ id }) => id)).toEqual(['root#1.0/root#1', 'root#1.1/root#1']);
    given(
      ...begun,
      answered({ calls: [callsAgent('support/billing'), callsAgent('support/billing', 'Look.')] }),
      drove([works('root#1.0', 'support/billing'), works('root#1.1', 'support/billing')]),
      answered({ step: 'root#1.1/root', calls: [completes('Looked.')] }),
    )
      .when(answers({ step: 'root#1.0/root', calls: [completes('Done.')] }))
      .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
  });

  test('asks people for its gated calls, and they are of the run', () => {
    const { state } = given(...working, answered({ step: child, calls: [call('add', { name: 'a' })] }));
    const [approval] = Object.values(state.run?.interrupts ?? {});
    expect(approval).toMatchObject({ kind: 'approval', callId: `${child}#1.0` });
    expect(state.run?.owner).toBeNull();
    expect(hasWork(state.run as RunState)).toBe(false);
  });

  test('is not called twice for one call, and not once its call is done', () => {
    given(...working)
      .when(drives([works('root#1.0', 'support/billing')]))
      .thenNothing();
    given(...working, answered({ step: child, calls: [completes('Done.')] }))
      .when(drives([works('root#1.0', 'support/billing')]))
      .thenNothing();
  });

  test('of which nobody knows is the result of the call', () => {
    const failed = {
      type: 'callFinished',
      callId: 'root#1.0',
      attempt: 1,
      tool: 'call_agent',
      content: 'Agent "x" not found',
      isError: true,
      durationMs: 0,
    } as const;
    given(...calling)
      .when(drives([failed]))
      .thenFacts(['toolCallFinished', { isError: true }])
      .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
  });
});

const clerk = platformAgent('support/clerk');

describe('an agent is not called', () => {
  const refusalOf = (happenings: readonly Happening[], step: string, name: string, more = [clerk]) => {
    const { decision } = given(...happenings).when(answers({ step, calls: [callsAgent(name)] }, { more }));
    const [first] = 'facts' in decision ? decision.facts : [];
    const recorded = first?.case === 'modelResponded' ? first.value.calls[0] : undefined;
    return { refusal: recorded?.agentRefusal, error: recorded?.error, agent: recorded?.platformAgent };
  };
  const { AgentRefusal } = facts;

  test('by one that may not', () => {
    expect(refusalOf([...begun], 'root', 'audit')).toEqual({
      refusal: AgentRefusal.NOT_ALLOWED,
      error: 'The agent support/tier1 may not call the agent audit; it may call "support/*".',
      agent: '',
    });
  });

  test('that waits for the one that asks, unless that is allowed', () => {
    expect(refusalOf([...working], child, 'support/tier1')).toMatchObject({ refusal: AgentRefusal.CIRCLE });
    expect(refusalOf([...working], child, 'support/billing').refusal).toBe(AgentRefusal.CIRCLE);
    const circling = [opened, asked('Go.', { limits: { ...limits, circlesAllowed: true } })] as const;
    const twice = [
      ...circling,
      answered({ calls: [callsAgent('support/billing')] }),
      drove([works('root#1.0', 'support/billing')]),
    ];
    expect(refusalOf(twice, child, 'support/tier1').refusal).toBe(AgentRefusal.UNSPECIFIED);
  });

  test('deeper than the run may go', () => {
    const shallow = [opened, asked('Go.', { limits: { ...limits, depthMax: 2 } })] as const;
    const deep = [
      ...shallow,
      answered({ calls: [callsAgent('support/billing')] }),
      drove([works('root#1.0', 'support/billing')]),
    ];
    expect(refusalOf(deep, child, 'support/clerk')).toMatchObject({ refusal: AgentRefusal.DEPTH });
    expect(refusalOf([...shallow], 'root', 'support/clerk').refusal).toBe(AgentRefusal.UNSPECIFIED);
  });

  test('more often than the run may, counted in the answer, too', () => {
    const few = [opened, asked('Go.', { limits: { ...limits, callsMax: 1 } })] as const;
    const { decision } = given(...few).when(
      answers({ calls: [callsAgent('support/billing'), callsAgent('support/billing')] }),
    );
    const [first] = 'facts' in decision ? decision.facts : [];
    expect(first?.case === 'modelResponded' ? first.value.calls.map((one) => one.agentRefusal) : []).toEqual([
      AgentRefusal.UNSPECIFIED,
      AgentRefusal.CALLS,
    ]);
  });

  test.each([
    ['no name', { input: 'Do it.' }],
    ['no task', { agent_name: 'support/billing', input: ' ' }],
    ['another scope', { agent_name: 'support/billing', input: 'Do it.', context_scope: 'ALL' }],
  ])('with %s', (_what, args) => {
    given(...begun)
      .when(answers({ calls: [call('call_agent', args)] }))
      .thenOwes({ kind: 'model', turn: 2 });
  });

  test('by an agent of a configuration, which is offered no such tool', () => {
    const plain = { name: 'plain', root: tier1.root };
    const { decision } = given(opened, asked('Go.', { agent: plain })).when(
      answers({ calls: [callsAgent('support/billing')] }, { more: [plain] }),
    );
    const [first] = 'facts' in decision ? decision.facts : [];
    expect(first?.case === 'modelResponded' && first.value.calls[0]?.error).toBe('Tool not found: call_agent');
  });
});

describe('an agent that must say that it is done', () => {
  test('is reminded twice, and then its step fails', () => {
    const silent = answers({ text: 'It is refunded.' });
    given(...begun)
      .when(silent)
      .thenFacts('modelResponded', ['stepReminded', { stepId: 'root', turn: 1, count: 1 }])
      .thenOwes({ kind: 'model', turn: 2 });
    given(...begun, answered({ text: 'It is.' }), answered({ text: 'It is!' }))
      .when(silent)
      .thenFacts(
        'modelResponded',
        ['stepFinished', { failed: true }],
        ['runFailed', { text: expect.stringContaining('support/tier1 did not call') }],
      );
  });

  test('says so alone, when everything else has its result', () => {
    const { decision } = given(...begun).when(answers({ calls: [call('list'), completes('Done.')] }));
    const [first] = 'facts' in decision ? decision.facts : [];
    const calls = first?.case === 'modelResponded' ? first.value.calls : [];
    expect(calls.map((one) => one.disposition)).toEqual([facts.Disposition.ALLOWED, facts.Disposition.REFUSED]);
  });

  test.each([
    [{ status: 'SUCCESS' }, 'result is missing'],
    [{ result: 'Done.', status: 'DONE' }, 'status is one of'],
    [{ result: 'Done.', status: 'SUCCESS', confidence: 2 }, 'confidence is'],
  ])('is told what is wrong with %j', (args, expected) => {
    const { decision } = given(...begun).when(answers({ calls: [call('complete_agent_execution', args)] }));
    const [first] = 'facts' in decision ? decision.facts : [];
    expect(first?.case === 'modelResponded' && first.value.calls[0]?.error).toContain(expected);
  });

  test('ends the run with its result, or with why it has none', () => {
    given(...begun)
      .when(answers({ calls: [completes('All done.')] }))
      .thenFacts('modelResponded', 'stepFinished', [
        'runCompleted',
        { output: expect.objectContaining({ parts: [expect.objectContaining({ text: 'All done.' })] }) },
      ]);
    given(...begun)
      .when(answers({ calls: [completes('Nothing found.', 'FAILED')] }))
      .thenFacts('modelResponded', 'stepFinished', ['runFailed', { text: 'Nothing found.' }]);
  });

  test('may as well answer without a call where its file says so', () => {
    const free = platformAgent('free', { completionRequired: false });
    given(opened, asked('Go.', { agent: free }))
      .when(answers({ text: 'Here it is.' }, { more: [free] }))
      .thenFacts('modelResponded', 'stepFinished', 'runCompleted');
  });
});

describe('what a called agent is told of what was said before', () => {
  const told = (scope: 'FULL' | 'NONE' | 'SPECIFIC', upTo?: number, memoriesTold = '') => {
    const { state, log } = given(
      ...calling,
      drove([{ ...works('root#1.0', 'support/billing', scope), memoriesTold } as RunCommand]),
      answered({ text: 'Hm.', step: child, calls: [call('list')] }),
    );
    const transcript = new TranscriptBuilder();
    for (const event of log) transcript.add(event);
    const args = transcript.argumentsAt(callOf(state, 'root#1.0')?.revision ?? 0, 'root#1.0') ?? '';
    const run = state.run as RunState;
    const working = callOf(state, 'root#1.0');
    const called = working?.called && { ...working.called, contextRevision: upTo ?? working.called.contextRevision };
    const calls = { 'root#1.0': { ...(called && { called }) } };
    return calledPrompt(transcript, { id: run.id, calls }, 'root#1.0', args, tier1);
  };

  test('is what those above it were told and said, what the user said alone, or nothing', () => {
    expect(told('FULL')).toMatchObject({ input: 'Refund it.' });
    expect(told('FULL').context).toContain('I want a refund.');
    expect(told('FULL').context).toContain('I ask billing.');
    expect(told('FULL').context).not.toContain('Hm.');
    expect(told('SPECIFIC').context).toContain('I want a refund.');
    expect(told('SPECIFIC').context).not.toContain('I ask billing.');
    expect(told('FULL', 4).context).not.toContain('I ask billing.');
    expect(told('NONE')).toEqual({ input: 'Refund it.', context: '' });
  });

  test('and of its own memory what its file names, as it was when it was called', () => {
    const context = told('SPECIFIC', undefined, 'name:\n> "Ada"').context;
    expect(context).toMatch(/^What you remember:\n\nname:\n> "Ada"\n\nWhat was said .*I want a refund\..*Your task:$/s);
    expect(told('NONE', undefined, 'name:\n> "Ada"').context).toBe('');
    expect(told('SPECIFIC').context).not.toContain('remember');
  });
});

test('at most 64 agents work at once: a call of one more is refused, and nothing waits for what may wait for it', () => {
  const many = Array.from({ length: 32 }, () => callsAgent('support/billing'));
  const clerks = many.map(() => callsAgent('support/clerk'));
  const busy = [
    ...begun,
    answered({ calls: many }),
    drove(many.map((_, index) => works(`root#1.${index}`, 'support/billing'))),
    answered({ step: child, calls: clerks }, { more: [clerk] }),
  ];
  const { decision } = given(...busy).when(
    answers({ step: 'root#1.1/root', calls: clerks.slice(0, 1) }, { more: [clerk] }),
  );
  expect(refusalsIn(decision)).toEqual([facts.AgentRefusal.BUSY]);
  const { state } = given(...busy);
  const owed = advance(definitionsOf(clerk), state, dawn).effects;
  expect(owed.filter(({ kind }) => kind === 'agent')).toHaveLength(32);
});

test('a run calls agents so often and no more, whatever branch asks', () => {
  const { CALLS, UNSPECIFIED } = facts.AgentRefusal;
  const both = [callsAgent('support/clerk'), callsAgent('support/clerk')];
  const { decision } = given(
    opened,
    asked('Go.', { limits: { ...limits, callsMax: 5 } }),
    answered({ calls: [callsAgent('support/billing'), callsAgent('support/billing')] }),
    drove([works('root#1.0', 'support/billing'), works('root#1.1', 'support/billing')]),
    answered({ step: child, calls: both }, { more: [clerk] }),
  ).when(answers({ step: 'root#1.1/root', calls: both }, { more: [clerk] }));
  expect(refusalsIn(decision)).toEqual([UNSPECIFIED, CALLS]);
});

/** Why the calls of agents in an answer are not made. */
function refusalsIn(decision: object): readonly facts.AgentRefusal[] {
  const [first] = 'facts' in decision ? (decision.facts as readonly Fact[]) : [];
  return first?.case === 'modelResponded' ? first.value.calls.map((one) => one.agentRefusal) : [];
}
