import type { DeltaEvent } from '@stopgo/client';
import { exactText } from '@stopgo/client';
import { expect, test } from 'vitest';
import type { LogEvent } from '../app/api/payload.ts';
import type { Item } from '../app/chat/transcript.ts';
import { TranscriptBuilder } from '../app/chat/transcript-builder.ts';

type Told = readonly [type: string, payload: Readonly<Record<string, unknown>>, actor?: LogEvent['actor']];

const system = { kind: 'system', id: 'orchestrator-1' } as const;

const taking = (events: readonly Told[], to = new TranscriptBuilder()): TranscriptBuilder => {
  const { revision } = to.shown();
  for (const [index, [type, payload, actor = system]] of events.entries())
    to.take({
      ...{ revision: revision + index + 1, event_id: `${index}`, time: null, actor, type },
      payload: { run_id: 'r', ...payload },
    });
  return to;
};
const after = (events: readonly Told[]) => taking(events).shown();

const asked: Told = ['user_message_received', { text: 'do both' }];
const call = (id: string, disposition = 'DISPOSITION_GATED') => ({
  ...{ call_id: id, tool: 'pay', server: 'bank', disposition, arguments_json: '{"amount":10.50}' },
});

test('results go to their own calls, whichever tool they share and in whichever order they come', () => {
  const shown = after([
    asked,
    ['model_responded', { step_id: 'root', turn: 1, calls: [call('1'), call('2')] }],
    ['approval_requested', { call_id: '1', approval_id: 'a1' }],
    ['approval_requested', { call_id: '2', approval_id: 'a2' }],
    [
      'approval_resolved',
      { call_id: '2', tool: 'pay', decision: 'DECISION_APPROVED' },
      { kind: 'approver', id: 'ada' },
    ],
    ['tool_call_started', { call_id: '2' }],
    ['tool_call_finished', { call_id: '2', content: 'second', duration_ms: 5 }],
    ['approval_resolved', { call_id: '1', tool: 'pay', decision: 'DECISION_REJECTED', said: 'no' }],
  ]);
  expect(shown.calls.get('r/2')).toMatchObject({ state: 'done', result: 'second', ms: 5 });
  expect(shown.calls.get('r/1')).toMatchObject({ state: 'rejected' });
  expect(shown.items.flatMap((item) => (item.kind === 'note' ? item.text : []))).toEqual([
    'ada approved pay.',
    'The platform rejected pay. “no”',
  ]);
});

test('an event that comes twice, or that nobody knows here, changes nothing that is shown', () => {
  const builder = taking([asked, ['from_the_future', { text: 'x' }]]);
  const shown = builder.shown();
  builder.take({
    ...{
      revision: 1,
      event_id: '0',
      time: null,
      actor: { kind: 'user', id: 'ada' },
      type: 'user_message_received',
      payload: { text: 'do both' },
    },
  });
  expect(builder.shown()).toBe(shown);
  expect(shown.items).toHaveLength(1);
});

test.each([
  ['run_completed', {}, false],
  ['run_failed', { text: 'no model' }, false],
  ['run_canceled', {}, false],
  ['run_paused', {}, true],
])('%s: whether the run is open', (type, payload, isOpen) => {
  expect(after([asked, [type, payload]]).isRunOpen).toBe(isOpen);
});

test('what a model writes grows piece by piece, and is over once its answer is there', () => {
  const piece = (offset: number, text: string, attempt = 1): DeltaEvent => ({
    ...{ run_id: 'r', step_id: 'root', turn: 1, attempt, offset, text },
  });
  const writing = (...pieces: readonly DeltaEvent[]) => {
    const builder = taking([asked]);
    for (const one of pieces) builder.takePiece(one);
    return builder;
  };
  const written = (...pieces: readonly DeltaEvent[]) => [
    ...writing(...pieces)
      .shown()
      .writing.values(),
  ];
  expect(written(piece(0, 'He'), piece(2, 'llo'))).toMatchObject([{ text: 'Hello', offset: 0 }]);
  // Somebody came later: what stands before is said to be missing.
  expect(written(piece(5, ' world'))).toMatchObject([{ text: ' world', offset: 5 }]);
  expect(written(piece(0, 'He'), piece(9, 'x'))).toMatchObject([{ text: 'x', offset: 9 }]);
  // The model was asked again; what the first attempt still says is late.
  expect(written(piece(0, 'He'), piece(0, 'Ho', 2), piece(2, 'llo'))).toMatchObject([{ text: 'Ho', offset: 0 }]);
  const builder = writing(piece(0, 'Hello'));
  const answered = taking([['model_responded', { step_id: 'root', turn: 1, text: 'Hello.' }]], builder).shown();
  expect([...answered.writing]).toEqual([]);
  expect(answered.items.at(-1)).toMatchObject({ by: 'agent', text: 'Hello.' });
});

test('what is shown stays as it is, and what did not change is the same object', () => {
  const builder = taking([asked, ['model_responded', { step_id: 'root', turn: 1, calls: [call('1')] }]]);
  const before = builder.shown();
  taking([['tool_call_started', { call_id: '1' }]], builder);
  const after = builder.shown();
  expect(before.calls.get('r/1')).toMatchObject({ state: 'waiting' });
  expect(after.calls.get('r/1')).toMatchObject({ state: 'running' });
  expect(after.items).toBe(before.items);
  expect(after.writing).toBe(before.writing);
  taking([asked], builder);
  expect(before.items).toHaveLength(2);
  expect(builder.shown().items).toHaveLength(3);
});

test('a long conversation is copied once for a drawing, and no event looks at all those before it', () => {
  const turns = 500;
  const turn = (id: string): readonly Told[] => [
    asked,
    ['model_responded', { step_id: 'root', turn: 1, calls: [call(id)] }],
    ['approval_requested', { call_id: id, approval_id: `a${id}` }],
    ['approval_resolved', { call_id: id, tool: 'pay', decision: 'DECISION_APPROVED' }],
    ['tool_call_started', { call_id: id }],
    ['tool_call_finished', { call_id: id, content: 'paid' }],
    ['run_completed', {}],
  ];
  const events = Array.from({ length: turns }, (_, index) => turn(`${index}`)).flat();
  const walked = countWalked();
  try {
    const builder = taking(events);
    const whileTaken = walked.items();
    const { items, calls, activity } = builder.shown();
    const whileShown = walked.items() - whileTaken;
    walked.end();
    expect([items.length, calls.size, activity]).toEqual([turns * 3, turns, 'idle']);
    // Some for each event, those of the test among them: all that was before it, for each, would be a million and more.
    expect(whileTaken).toBeLessThan(events.length * 20);
    expect(whileShown).toBeLessThan(events.length * 2);
  } finally {
    walked.end();
  }
});

const calling = (id: string, input: string) => ({
  ...{ call_id: id, tool: 'call_agent', platform_agent: 'billing', disposition: 'DISPOSITION_ALLOWED' },
  arguments_json: JSON.stringify({ agent_name: 'billing', input }),
});
const called = (call_id: string, agent: string): Told => [
  'agent_called',
  { step_id: 'root', call_id, agent, source: { repository: 'r', commit: 'c0ffee', path: `${agent}.md` } },
];

test('what a called agent says and does stands below its call, and what the main one says does not', () => {
  const shown = after([
    asked,
    ['model_responded', { step_id: 'root', turn: 1, text: 'I ask.', calls: [calling('root#1.0', 'Pay')] }],
    called('root#1.0', 'billing'),
    [
      'model_responded',
      { step_id: 'root#1.0/root', turn: 1, text: 'Inside.', calls: [calling('root#1.0/root#1.0', 'Look')] },
    ],
    called('root#1.0/root#1.0', 'books'),
    [
      'model_responded',
      { step_id: 'root#1.0/root#1.0/root', turn: 1, text: 'Deep.', calls: [call('root#1.0/root#1.0/root#1.0')] },
    ],
    ['approval_resolved', { call_id: 'root#1.0/root#1.0/root#1.0', tool: 'pay', decision: 'DECISION_REJECTED' }],
    [
      'agent_returned',
      { call_id: 'root#1.0/root#1.0', agent: 'books', is_error: true, output: { parts: [{ text: 'No.' }] } },
    ],
    [
      'agent_returned',
      {
        ...{
          call_id: 'root#1.0',
          agent: 'billing',
          duration_ms: 7,
          completion: { status: 'COMPLETION_STATUS_PARTIAL' },
        },
        output: { parts: [{ answer_revision: 4 }, { text: 'Half.' }] },
      },
    ],
    ['model_responded', { step_id: 'root', turn: 2, text: 'Done.' }],
    ['run_completed', { output: { parts: [{ answer_revision: 10 }] } }],
  ]);
  const said = (items: readonly Item[]) => items.flatMap((item) => (item.kind === 'said' ? item.text : []));
  const [billing, books] = ['r/root#1.0', 'r/root#1.0/root#1.0'].map((key) => shown.agents.get(key));
  expect(said(shown.items)).toEqual(['do both', 'I ask.', 'Done.']);
  expect(said(billing?.items ?? [])).toEqual(['Inside.']);
  expect(said(books?.items ?? [])).toEqual(['Deep.']);
  expect(books?.items.at(-1)).toMatchObject({ kind: 'note', text: 'The platform rejected pay.' });
  expect(billing).toMatchObject({ state: 'done', commit: 'c0ffee', says: 'partial', result: 'Inside.\nHalf.', ms: 7 });
  expect(books).toMatchObject({ name: 'books', state: 'failed', result: 'No.' });
});

test('whatever changes in a called agent has all that it is shown in drawn anew, and nothing else', () => {
  const builder = taking([
    asked,
    ['model_responded', { step_id: 'root', turn: 1, calls: [calling('root#1.0', 'a'), calling('root#1.1', 'b')] }],
    called('root#1.0', 'one'),
    called('root#1.1', 'two'),
    ['model_responded', { step_id: 'root#1.0/root', turn: 1, calls: [call('root#1.0/root#1.0')] }],
  ]);
  const before = builder.shown();
  taking([['tool_call_started', { call_id: 'root#1.0/root#1.0' }]], builder);
  const changed = builder.shown();
  expect(changed.agents.get('r/root#1.0')).not.toBe(before.agents.get('r/root#1.0'));
  expect(changed.agents.get('r/root#1.1')).toBe(before.agents.get('r/root#1.1'));
  builder.takePiece({ ...{ run_id: 'r', step_id: 'root#1.1/root', turn: 1, attempt: 1, offset: 0 }, text: 'x' });
  const written = builder.shown();
  expect([...written.writing.values()]).toMatchObject([{ home: 'r/root#1.1' }]);
  expect(written.agents.get('r/root#1.1')).not.toBe(changed.agents.get('r/root#1.1'));
});

test('what an agent says that came of its task is its answer, and no call that somebody makes', () => {
  const completes = { ...call('root#1.0', 'DISPOSITION_CONTROL'), tool: 'complete_agent_execution' };
  const shown = after([
    asked,
    ['model_responded', { step_id: 'root', turn: 1, calls: [completes] }],
    ['run_completed', { output: { parts: [{ text: 'All is well.' }] } }],
  ]);
  expect(shown.calls.size).toBe(0);
  expect(shown.items.slice(1)).toMatchObject([{ kind: 'said', by: 'agent', text: 'All is well.' }]);
});

const question = (id: string, call_id: string, more: object = {}): Told => [
  'input_requested',
  {
    ...{ input_id: id, call_id, kind: 'INPUT_KIND_INPUT', prompt: 'How many?' },
    server_question: {
      id: 'q',
      server: 'shop',
      tool: 'order',
      schema_json: '{"type":"object","properties":{}}',
      ...more,
    },
  },
];

test('a question stands in its place with what became of it, whoever was asked', () => {
  const shown = after([
    ['conversation_created', { conversation_id: 'c' }],
    asked,
    ['model_responded', { step_id: 'root', turn: 1, calls: [call('root#1.0'), call('root#1.1'), call('root#1.2')] }],
    question('one', 'root#1.0'),
    question('two', 'root#1.1', { schema_json: '', url: 'https://pay.example/' }),
    question('three', 'root#1.2'),
    question('of a model', 'root#1.2', { sampling: {} }),
    ['input_requested', { input_id: 'a token', call_id: 'root#1.2', kind: 'INPUT_KIND_AUTH', prompt: 'Sign in' }],
    ['input_provided', { input_id: 'of a model', action: 'INPUT_ACTION_ACCEPT', content_json: '{}', sampling: {} }],
    [
      'input_provided',
      { input_id: 'one', action: 'INPUT_ACTION_ACCEPT', content_json: '{"amount":12.50}' },
      { kind: 'approver', id: 'Ada', claimed: true },
    ],
    ['input_withdrawn', { input_id: 'two', call_id: 'root#1.1', reason: 'nobody answered in time' }],
  ]);
  expect(shown.items.filter(({ kind }) => kind === 'question')).toMatchObject([
    { id: 'one' },
    { id: 'two' },
    { id: 'three' },
  ]);
  expect(shown.items.filter(({ kind }) => kind === 'note')).toEqual([]);
  expect(shown.questions.get('one')).toMatchObject({
    question: { conversation: 'c', mode: 'form', by: 'server', name: 'shop', tool: 'order', isOptional: false },
    outcome: { how: 'accept', by: '“Ada” (unverified)' },
  });
  expect(exactText(shown.questions.get('one')?.outcome?.content ?? '')).toContain('12.50');
  expect(shown.questions.get('two')).toMatchObject({
    question: { mode: 'url', url: 'https://pay.example/' },
    outcome: { how: 'withdrawn', why: 'nobody answered in time' },
  });
  expect(shown.questions.get('three')?.outcome).toBeUndefined();
  expect(['0', '1', '2'].map((one) => shown.calls.get(`r/root#1.${one}`)?.state)).toEqual([
    'running',
    'running',
    'asking',
  ]);
});

test.each([
  ['run_canceled', {}, ['withdrawn', 'withdrawn']],
  ['step_canceled', { step_id: 'root#1.0/root' }, ['withdrawn', undefined]],
  ['step_canceled', { step_id: 'root#1' }, [undefined, undefined]],
])('%s %j: which questions are asked still', (type, payload, how) => {
  const shown = after([asked, question('below', 'root#1.0/root#1.0'), question('beside', 'root#1.1'), [type, payload]]);
  expect(['below', 'beside'].map((id) => shown.questions.get(id)?.outcome?.how)).toEqual(how);
});

test('a run is paused until it is resumed or ends, whatever ends in it meanwhile', () => {
  const paused: Told = ['run_paused', { reason: 'wait' }, { kind: 'user', id: 'ada' }];
  const late: Told = ['tool_call_finished', { call_id: '1', content: 'paid' }];
  expect(after([asked, paused, late]).paused).toMatchObject({ by: 'ada', reason: 'wait', isLimit: false });
  expect(after([asked, ['run_paused', { limit_step_id: 'root' }]]).paused).toMatchObject({ by: '', isLimit: true });
  for (const end of ['run_resumed', 'run_canceled', 'run_completed'])
    expect(after([asked, paused, [end, {}]]).paused).toBeUndefined();
});

/** Counts the items of all lists and maps that are walked through, until `end`. */
function countWalked(): { readonly items: () => number; readonly end: () => void } {
  const { values, [Symbol.iterator]: walkMap } = Map.prototype;
  const { [Symbol.iterator]: walkList } = Array.prototype;
  let items = 0;
  Map.prototype.values = function () {
    items += this.size;
    return values.call(this);
  };
  Map.prototype[Symbol.iterator] = function () {
    items += this.size;
    return walkMap.call(this);
  };
  // biome-ignore lint/suspicious/noExplicitAny: it is the list of anybody
  Array.prototype[Symbol.iterator] = function (this: any[]) {
    items += this.length;
    return walkList.call(this);
  };
  return {
    items: () => items,
    end: () => {
      Object.assign(Map.prototype, { values, [Symbol.iterator]: walkMap });
      Object.assign(Array.prototype, { [Symbol.iterator]: walkList });
    },
  };
}

test('what the end of a run, or of a step, leaves open was ended with it, and is not taken for work of the next run', () => {
  const builder = taking([
    asked,
    [
      'model_responded',
      { step_id: 'root', turn: 1, calls: [call('root#1.0'), call('root#1.1', 'DISPOSITION_ALLOWED')] },
    ],
    ['approval_requested', { call_id: 'root#1.0', approval_id: 'a1' }],
    ['agent_called', { call_id: 'root#1.1', agent: 'billing' }],
    ['tool_call_in_doubt', { call_id: 'root#1.0', reason: 'the server ended' }],
    ['step_canceled', { step_id: 'root#1.1' }, { kind: 'approver', id: 'ada' }],
  ]);
  expect(builder.shown().agents.get('r/root#1.1')?.state).toBe('working');
  taking([['step_canceled', { step_id: 'root' }, { kind: 'approver', id: 'ada' }]], builder);
  const ended = builder.shown();
  expect(ended.agents.get('r/root#1.1')?.state).toBe('ended');
  expect(ended.calls.get('r/root#1.1')?.state).toBe('ended');
  expect(ended.calls.get('r/root#1.0')?.state).toBe('doubt');

  taking(
    [
      ['run_canceled', {}],
      ['user_message_received', { text: 'again' }],
    ],
    builder,
  );
  taking([['tool_call_finished', { run_id: 's', call_id: 'other', content: '' }]], builder);
  expect(builder.shown().activity).toBe('model');
  const next = { run_id: 's', step_id: 'root', turn: 1, calls: [call('root#1.0', 'DISPOSITION_ALLOWED')] };
  taking(
    [
      ['model_responded', next],
      ['run_canceled', { run_id: 's' }],
    ],
    builder,
  );
  expect(builder.shown().calls.get('s/root#1.0')?.state).toBe('ended');
  // What comes of it late is shown.
  taking([['agent_returned', { call_id: 'root#1.1', duration_ms: 1 }]], builder);
  expect(builder.shown().agents.get('r/root#1.1')?.state).toBe('done');
});
