import { approvals } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { decisionsIn } from '../src/decision.ts';
import { askAgain, textPart } from '../src/index.ts';
import { agentMessage, dataPart, textOf } from '../src/parts.ts';

const { DecisionKind } = approvals;

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const message = (...parts: Parameters<typeof agentMessage>[0]['parts']) =>
  agentMessage({ id: 'm', taskId: 't', contextId: 'c', parts });
const approve = dataPart({ approval_id: id, decision: 'approve' });

describe('data and words beside it', () => {
  test.each([[`no ${id}`], ['no'], ['reject'], [`yes ${other}\nno ${id}`], ['give_up']])(
    'that say %j are refused',
    (text) => {
      expect(() => decisionsIn(message(textPart(text), approve))).toThrow('decides otherwise than its data');
    },
  );

  test.each([[`yes ${id}`], ['approved'], ['I have looked at it.']])('that say %j are taken', (text) => {
    expect(decisionsIn(message(textPart(text), approve))).toEqual([
      { approvalId: id, decision: { kind: DecisionKind.APPROVE } },
    ]);
  });

  test.each([[`no ${other}`], [`yes ${id}\n\nno ${other}`]])(
    'that say %j of another approval too are both taken',
    (text) => {
      expect(decisionsIn(message(textPart(text), approve))).toEqual([
        { approvalId: id, decision: { kind: DecisionKind.APPROVE } },
        { approvalId: other, decision: { kind: DecisionKind.REJECT } },
      ]);
    },
  );

  test.each([[`Go on with the first.\nno ${other}`], [`You asked:\nyes ${other}\nno ${other}`]])(
    'that say %j are refused: a decision on another approval among other words may be a quotation',
    (text) => {
      expect(() => decisionsIn(message(textPart(text), approve))).toThrow('among other words');
    },
  );

  test('on the approval of the data itself are refused among other words too, if they say otherwise', () => {
    const words = (word: string) => message(textPart(`I have looked at it.\n${word} ${id}`), approve);
    expect(() => decisionsIn(words('no'))).toThrow('decides otherwise than its data');
    expect(decisionsIn(words('yes'))).toHaveLength(1);
  });

  test('of whatever is pending are refused beside a word that decides otherwise, and the same is said once', () => {
    const any = dataPart({ type: 'tool_approval_response', approvals: [{ approved: true }] });
    expect(() => decisionsIn(message(textPart(`no ${other}`), any))).toThrow('decides otherwise than its data');
    expect(decisionsIn(message(textPart(`yes ${other}`), any))).toEqual([{ decision: { kind: DecisionKind.APPROVE } }]);
  });
});

test.each([
  [
    ['approve', 'reject'],
    [`yes ${id}`, `no ${id}`],
  ],
  [['reject'], [`no ${id}`]],
  [
    ['run_again', 'happened', 'give_up'],
    [`run_again ${id}`, `happened ${id}`, `give_up ${id}`],
  ],
])('who is asked again about %j is told lines that decide', (choices, lines) => {
  const approval = { id, callId: 'k', tool: 'pay', arguments: {}, description: 'Pay', kind: 'tool', choices };
  const told = textOf(askAgain([approval])).split('\n');
  expect(told.filter((line) => line.endsWith(id))).toEqual(lines);
  for (const line of lines) expect(decisionsIn(message(textPart(line)))).toMatchObject([{ approvalId: id }]);
});

test.each([
  ['happened', [{ decision: { kind: DecisionKind.HAPPENED, result: '' } }]],
  [`happened ${id}`, [{ approvalId: id, decision: { kind: DecisionKind.HAPPENED, result: '' } }]],
  [
    `Happened ${id}: it was paid: 5 EUR `,
    [{ approvalId: id, decision: { kind: DecisionKind.HAPPENED, result: 'it was paid: 5 EUR' } }],
  ],
  [`yes ${id}: it was paid`, []],
  [`happened ${id} it was paid`, []],
])('%j decides %j', (text, decides) => {
  expect(decisionsIn(message(textPart(text)))).toEqual(decides);
});

test.each(['action', 'decision', 'answer'])(
  'a decision that cannot be read is named by the member that it came in: %s',
  (name) => {
    expect(() => decisionsIn(message(dataPart({ approval_id: id, [name]: 'maybe' })))).toThrow(
      `"${name}" is no decision`,
    );
  },
);
