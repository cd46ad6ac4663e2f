import {
  type AgentDefinition,
  type AgentNode,
  appendBytesMax,
  appendEventsMax,
  byteLength,
  callsPerAnswerMax,
  cancelRun,
  encodeFact,
  encodeSnapshot,
  evolve,
  type Fact,
  pendingApprovals,
  resolveApproval,
  textBytesMax,
} from '@stopgo/core';
import { approvals, facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { decisionOn, interruptsOf } from '../src/state/interrupt.ts';
import { callsPerRunMax, continuedFailureBytesMax } from '../src/text/bounds.ts';
import { nothingSaid } from '../src/text/texts.ts';
import { Rows } from './rows.ts';
import { given, type Happening, recorded } from './specification.ts';
import {
  agentOf,
  answered,
  answers,
  call,
  drives,
  drove,
  happened,
  llm,
  modelAnswered,
  opened,
  rejected,
  returns,
  said,
  starts,
  takesOver,
} from './story.ts';

const { DecisionKind } = approvals;

const loop = (...children: readonly AgentNode[]) =>
  agentOf({ type: 'loop', name: 'again', iterationsMax: 5, children, outputKey: 'all' });
const parallel = (onError: 'fail' | 'continue', ...children: readonly AgentNode[]) =>
  agentOf({ type: 'parallel', name: 'both', onError, children, outputKey: 'all' });
const leaving = { calls: [call('exit_loop')] };

/** What the run has come to, as a client sees it. */
function responseOf(...happenings: readonly Happening[]): string {
  const rows = new Rows();
  rows.add(given(...happenings).log);
  return rows.head?.run?.response ?? '';
}

const failed = (step: string, text = `LLM error: ${step}`) =>
  ({ type: 'modelFailed', stepId: step, turn: 1, model: 'm', message: 'no', text }) as const;

describe('parallel branches', () => {
  test('may have so many calls under way together; what is asked for beyond that is told so', () => {
    const full = callsPerRunMax / callsPerAnswerMax;
    const agent = parallel('fail', ...Array.from({ length: full + 1 }, (_, index) => llm({ name: `n${index}` })));
    const calls = Array.from({ length: callsPerAnswerMax }, () => call('note'));
    const asks = (index: number) => answered({ calls, step: `root/${index}` }, { agent });
    const upToFull = given(opened, said('go', { agent }), ...Array.from({ length: full }, (_, index) => asks(index)));
    const { run } = upToFull.state;
    expect(Object.values(run?.calls ?? {}).filter(({ phase }) => phase === 'ready')).toHaveLength(callsPerRunMax);
    upToFull.when(answers({ calls: [call('note')], step: `root/${full}` }, { agent })).thenFacts([
      'modelResponded',
      {
        calls: [
          {
            disposition: facts.Disposition.REFUSED,
            error: expect.stringMatching(/^The run has 1024 calls under way/),
          },
        ],
      },
    ]);
  });

  test('say together no more than one text may take; their messages have all of it', () => {
    const agent = parallel('fail', llm({ name: 'a' }), llm({ name: 'b' }));
    const long = 'x'.repeat(textBytesMax - 10);
    const happenings = ['root/0', 'root/1'].map((step) => answered({ text: long, step }, { agent }));
    const rows = new Rows();
    rows.add(given(opened, said('go', { agent }), ...happenings).log);
    expect(byteLength(rows.head?.run?.response ?? '')).toBeLessThanOrEqual(textBytesMax);
    expect(rows.messages.filter((one) => one.content.includes(long))).toHaveLength(2);
  });

  const both = ['a', 'b'].map((name) => llm({ name, outputKey: name }));

  test('answer together, in the order of the configuration, whoever was first', () => {
    const agent = parallel('fail', ...both);
    const story = [
      opened,
      said('go', { agent }),
      answered({ text: 'B.', step: 'root/1' }, { agent }),
      answered({ text: 'A.', step: 'root/0' }, { agent }),
    ];
    expect(responseOf(...story)).toBe('A.\nB.');
    expect(given(...story).log.findLast(({ fact }) => fact.case === 'stateSet')?.fact.value).toMatchObject({
      key: 'all',
      value: { parts: [{ answerRevision: 10 }, { answerRevision: 7 }] },
    });
  });

  test('of which one fails are waited for; then the node fails, with a text that says so, and what was written is on record', () => {
    const agent = parallel('fail', ...both);
    const story = [opened, said('go', { agent }), drove([failed('root/0')], { agent })];
    given(...story)
      .when(drives([], { agent }))
      .thenNothing()
      .thenOwes({ kind: 'model', id: 'root/1#1' });
    given(...story)
      .when(answers({ text: 'B.', step: 'root/1' }, { agent }))
      .thenFacts(
        'modelResponded',
        ['stateSet', { key: 'b' }],
        'stepFinished',
        ['stepFinished', { failed: true }],
        ['runFailed', { text: 'Pipeline error: LLM error: root/0' }],
      );
  });

  test('of which one fails go on without it where they are to continue, and its key stays unwritten', () => {
    const inner = parallel('continue', ...both).root;
    const agent = agentOf({
      type: 'sequential',
      name: 'pipe',
      children: [inner, llm({ name: 'last', prompt: '{a} {b}' })],
    });
    given(opened, said('go', { agent }), answered({ text: 'A.', step: 'root/0/0' }, { agent }))
      .when(drives([failed('root/0/1')], { agent }))
      .thenFacts(
        ['modelFailed', { node: 'b' }],
        ['stepFinished', { failed: true }],
        ['stateSet', { key: 'all' }],
        [
          'stepFinished',
          { failed: false, output: { parts: [{ answerRevision: 8 }, { text: 'LLM error: root/0/1' }] } },
        ],
        ['stepStarted', { bindings: [{ key: 'a' }], unresolvedPlaceholders: ['b'] }],
      );
  });

  test('that all fail at length say it shortly where they are to continue', () => {
    const agent = parallel('continue', ...both, ...both);
    const ids = [0, 1, 2, 3].map((index) => `root/${index}`);
    const all = ids.map((id) => failed(id, 'x'.repeat(16_000)));
    const { log } = given(opened, said('go', { agent }), drove(all, { agent }));
    const end = log.at(-1)?.fact;
    const parts = end?.case === 'runCompleted' ? (end.value.output?.parts ?? []) : [];
    expect(parts).toHaveLength(4);
    expect(byteLength(parts.map((part) => part.text).join(''))).toBeLessThanOrEqual(continuedFailureBytesMax);
  });
});

describe('a node that leaves its loop', () => {
  const writer = llm({ name: 'writer', outputKey: 'draft', canExitLoop: true });
  const agent = loop(writer);
  const first = [opened, said('go', { agent }), answered({ text: 'Draft.', step: 'root[1]/0' }, { agent })];

  test('without a word takes back neither the answer nor what was written', () => {
    const left = answers({ ...leaving, step: 'root[2]/0' }, { agent });
    given(...first)
      .when(left)
      .thenFacts(
        'modelResponded',
        ['stepFinished', { exitLoop: true, output: { parts: [] } }],
        ['stateSet', { key: 'all', value: { parts: [{ answerRevision: 6 }] } }],
        'stepFinished',
        'runCompleted',
      );
    expect(responseOf(...first, happened(left))).toBe('Draft.');
  });

  test('without a word but with a call: the words before it count more than its result', () => {
    const story = [
      ...first,
      answered({ calls: [call('list'), call('exit_loop')], step: 'root[2]/0' }, { agent }),
      drove([returns('root[2]/0#1.0', 'three')], { agent }),
    ];
    expect(responseOf(...story)).toBe('Draft.');
    expect(given(...story).log.filter(({ fact }) => fact.case === 'stateSet')).toHaveLength(2);
  });

  test('before anybody has said a word answers with the last result of its calls, in the order it asked for them', () => {
    const two = [call('list'), call('list'), call('drop')];
    const story = [
      opened,
      said('go', { agent }),
      answered({ calls: two, step: 'root[1]/0' }, { agent }),
      drove([returns('root[1]/0#1.1', 'second')], { agent }),
      drove([returns('root[1]/0#1.0', 'first')], { agent }),
      answered({ ...leaving, step: 'root[1]/0' }, { agent }),
    ];
    expect(responseOf(...story)).toBe('second');
    const failing = drove([returns('root[1]/0#1.1', 'broken', 1, true), returns('root[1]/0#1.0', '')], { agent });
    expect(responseOf(...story.slice(0, 3), failing, ...story.slice(5))).toBe(nothingSaid);
  });

  test('before anything was said or done still gives an answer', () => {
    expect(responseOf(opened, said('go', { agent }), answered({ ...leaving, step: 'root[1]/0' }, { agent }))).toBe(
      nothingSaid,
    );
  });

  test('goes on with the next round of the loop around it', () => {
    const inner: AgentNode = { type: 'loop', name: 'inner', iterationsMax: 3, children: [llm({ canExitLoop: true })] };
    const nested = loop(inner, llm({ name: 'after' }));
    given(opened, said('go', { agent: nested }))
      .when(answers({ text: 'Enough.', ...leaving, step: 'root[1]/0[1]/0' }, { agent: nested }))
      .thenFacts(
        'modelResponded',
        ['stepFinished', { stepId: 'root[1]/0[1]/0', exitLoop: true }],
        ['stepFinished', { stepId: 'root[1]/0', exitLoop: false }],
        ['stepStarted', { stepId: 'root[1]/1' }],
      );
  });

  test('with a word has said it', () => {
    expect(responseOf(...first, answered({ ...leaving, text: 'Good.', step: 'root[2]/0' }, { agent }))).toBe('Good.');
  });
});

test('a run that is resumed at its last node answers with the result if its model says nothing more', () => {
  const agent = agentOf({ type: 'sequential', name: 'pipe', children: [llm({ outputKey: 'a' }), llm()] });
  const story = [
    opened,
    said('go', { agent }),
    answered({ text: 'A.', step: 'root/0' }, { agent }),
    answered({ calls: [call('note')], step: 'root/1' }, { agent }),
    drove([starts('root/1#1.0')], { agent }),
    drove([returns('root/1#1.0', 'noted')], { agent }),
  ];
  expect(responseOf(...story, answered({ text: '', step: 'root/1' }, { agent }))).toBe('noted');
});

test('the state of a loop does not grow with its iterations, whatever was decided in them', () => {
  const children = [llm({ name: 'a', outputKey: 'a' }), llm({ name: 'b', canExitLoop: true })];
  const agent = agentOf({ type: 'loop', name: 'again', iterationsMax: 200, children });
  let { state } = given(opened, said('go', { agent }));
  const sizes: number[] = [];
  for (let iteration = 1; iteration <= 200; iteration += 1) {
    const [a, b] = [`root[${iteration}]/0`, `root[${iteration}]/1`];
    const round = [
      answered({ calls: [call('add')], step: a }, { agent }),
      drove([starts(`${a}#1.0`)], { agent }),
      drove([returns(`${a}#1.0`, 'added')], { agent }),
      answered({ text: 'Added.', step: a }, { agent }),
      answered({ text: 'Checked.', step: b }, { agent }),
    ];
    for (const happening of round) state = recorded(happening(state), state.revision).reduce(evolve, state);
    sizes.push(encodeSnapshot(state).length);
  }
  expect(state.run).toMatchObject({ status: 'completed', output: [{ revision: state.revision - 3 }] });
  expect((sizes[198] ?? 0) - (sizes[9] ?? 0)).toBeLessThan(64);
});

describe('a tree so wide that not all fits one append', () => {
  const wide: AgentDefinition = agentOf({
    type: 'parallel',
    name: 'wide',
    onError: 'fail',
    children: Array.from({ length: 255 }, (_, index) => llm({ name: `n${index}`, approval: 'require' })),
  });
  const drive = () => drove([], { agent: wide });
  const fitsOne = (facts: readonly Fact[]) => expect(facts.length).toBeLessThanOrEqual(appendEventsMax);

  test('starts in several, is owned until it is whole, and settles', () => {
    const begun = given(opened, said('go', { agent: wide }));
    expect([begun.state.revision - 1, begun.state.run?.owner]).toEqual([
      appendEventsMax - 1,
      { instance: 'orchestrator-1', epoch: 1 },
    ]);
    const whole = given(opened, said('go', { agent: wide }), drive());
    expect(Object.keys(whole.state.run?.steps ?? {})).toHaveLength(256);
  });

  test('hears as many answers at once as fit, and the others next', () => {
    const whole = given(opened, said('go', { agent: wide }), drive());
    const nested = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`);
    for (const [args, fit] of [
      [{}, 6],
      [{ nested }, 1],
    ] as const) {
      // Each asks for many approvals, described at length or not.
      const answering = Array.from({ length: 30 }, (_, index) =>
        modelAnswered({ calls: Array.from({ length: 31 }, () => call('add', args)), step: `root/${index}`, turn: 1 }),
      );
      const decision = drives(answering, { agent: wide })(whole.state);
      if (decision.kind !== 'append') throw new Error(decision.kind);
      expect(decision.applied).toEqual(Array.from({ length: fit }, () => true));
      fitsOne(decision.facts);
      const bytes = decision.facts.reduce((sum, one) => sum + encodeFact(one).length, 0);
      expect(bytes).toBeLessThanOrEqual(appendBytesMax);
    }
  });

  test('is canceled, and rejected, whatever number of approvals is pending', () => {
    const asks = Array.from({ length: 255 }, (_, index) =>
      drove([modelAnswered({ calls: [call('add'), call('add')], step: `root/${index}`, turn: 1 })], { agent: wide }),
    );
    const { state, log } = given(opened, said('go', { agent: wide }), drive(), ...asks);
    expect(pendingApprovals(state.run)).toHaveLength(510);
    const canceling = cancelRun(state, { reason: '' });
    if (canceling.kind !== 'append') throw new Error(canceling.kind);
    fitsOne(canceling.facts);
    const rows = new Rows();
    rows.add([...log, ...recorded(canceling.facts, state.revision)]);
    const statuses = [...rows.approvals.values()].map((one) => one.status);
    expect(new Set(statuses)).toEqual(new Set([views.ApprovalStatus.WITHDRAWN]));
    const last = [...rows.approvals.keys()].at(-1) ?? '';
    expect(resolveApproval(rows.state, { approvalId: last, decision: { kind: DecisionKind.APPROVE } }).kind).toBe(
      'past',
    );
    const no = (callId: string) => rejected(callId)(state);
    let rejecting = given(...log.map((event) => event.fact), () => [...no('root/0#1.0'), ...no('root/0#1.1')]).state;
    for (let appends = 0; rejecting.run?.status === 'open'; appends += 1) {
      expect(appends).toBeLessThan(5);
      const facts = drove(takesOver(appends === 0 ? undefined : `process-${appends - 1}`), {
        agent: wide,
        me: { instance: `process-${appends}`, epoch: 0 },
      })(rejecting);
      fitsOne(facts);
      rejecting = recorded(facts, rejecting.revision).reduce(evolve, rejecting);
      if (rejecting.run?.status === 'open')
        expect(rejecting.run.owner?.instance, 'owned until all is done').toBe(`process-${appends}`);
    }
    expect(interruptsOf(rejecting.run, 'approval').filter((one) => decisionOn(one) === undefined)).toEqual([]);
  });
});
