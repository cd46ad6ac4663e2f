import { expect, test } from 'vitest';
import type { Delta, LogEvent } from '../app/api/types.ts';
import { emptyTranscript, type Transcript, withDelta, withEvent } from '../app/chat/transcript.ts';

type Told = readonly [type: string, payload: Readonly<Record<string, unknown>>, actor?: LogEvent['actor']];

const after = (events: readonly Told[], before = emptyTranscript): Transcript =>
  events.reduce(
    (shown, [type, payload, actor = { kind: 'system', id: 'orchestrator-1' }], index) =>
      withEvent(shown, {
        ...{ revision: before.revision + index + 1, event_id: `${index}`, time: null, actor, type },
        payload: { run_id: 'r', ...payload },
      }),
    before,
  );

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
  const shown = after([asked, ['from_the_future', { text: 'x' }]]);
  const again = withEvent(shown, {
    ...{
      revision: 1,
      event_id: '0',
      time: null,
      actor: { kind: 'user' },
      type: 'user_message_received',
      payload: { text: 'do both' },
    },
  });
  expect(again).toBe(shown);
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
  const written = (...pieces: readonly Delta[]) => [...pieces.reduce(withDelta, after([asked])).writing.values()];
  expect(written(piece(0, 'He'), piece(2, 'llo'))).toMatchObject([{ text: 'Hello', offset: 0 }]);
  // Somebody came later: what stands before is said to be missing.
  expect(written(piece(5, ' world'))).toMatchObject([{ text: ' world', offset: 5 }]);
  expect(written(piece(0, 'He'), piece(9, 'x'))).toMatchObject([{ text: 'x', offset: 9 }]);
  // The model was asked again; what the first attempt still says is late.
  expect(written(piece(0, 'He'), piece(0, 'Ho', 2), piece(2, 'llo'))).toMatchObject([{ text: 'Ho', offset: 0 }]);
  const shown = withDelta(after([asked]), piece(0, 'Hello'));
  const answered = after([['model_responded', { step_id: 'root', turn: 1, text: 'Hello.' }]], shown);
  expect([...answered.writing]).toEqual([]);
  expect(answered.items.at(-1)).toMatchObject({ by: 'agent', text: 'Hello.' });
});
