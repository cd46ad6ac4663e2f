import { expect, test } from 'vitest';
import type { Delta, LogEvent } from '../app/api/types.ts';
import { TranscriptBuilder } from '../app/chat/transcript.ts';

type Told = readonly [type: string, payload: Readonly<Record<string, unknown>>, actor?: LogEvent['actor']];

const taking = (events: readonly Told[], to = new TranscriptBuilder()): TranscriptBuilder => {
  const { revision } = to.shown();
  for (const [index, [type, payload, actor = { kind: 'system', id: 'orchestrator-1' }]] of events.entries())
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
      actor: { kind: 'user' },
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
  const piece = (offset: number, text: string, attempt = 1): Delta => ({
    ...{ run_id: 'r', step_id: 'root', turn: 1, attempt, offset, text },
  });
  const writing = (...pieces: readonly Delta[]) => {
    const builder = taking([asked]);
    for (const one of pieces) builder.takePiece(one);
    return builder;
  };
  const written = (...pieces: readonly Delta[]) => [
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
