import { expect, test } from 'vitest';
import type { LogEvent } from '../../app/api/payload.ts';
import { RunsRecord } from '../../app/run/run-record.ts';
import { outlineOf, viewOf } from '../../app/run/run-view.ts';

type Told = readonly [type: string, payload?: Readonly<Record<string, unknown>>, actor?: LogEvent['actor']];

const system = { kind: 'system', id: 'orchestrator-1' } as const;

/** An event a second, all of one run. */
const recordOf = (told: readonly Told[]): RunsRecord => {
  const record = new RunsRecord();
  for (const [index, [type, payload = {}, actor = system]] of told.entries())
    record.take({
      ...{ revision: index + 1, event_id: `${index}`, time: new Date(index * 1_000).toISOString(), actor, type },
      payload: { run_id: 'r', ...payload },
    });
  return record;
};
const viewAfter = (told: readonly Told[]) => {
  const [run] = recordOf(told).runs;
  if (run === undefined) throw new Error('no run');
  return viewOf(run, told.length * 1_000);
};
const statesAfter = (told: readonly Told[]) =>
  Object.fromEntries(viewAfter(told).nodes.map(({ id, state }) => [id, state]));

const begun: readonly Told[] = [
  ['conversation_created', { agent_name: 'clerk' }],
  ['user_message_received', { text: 'pay' }],
  ['run_started'],
  ['step_started', { step_id: 'root', node: 'clerk', node_type: 'llm' }],
];
const call = (id: string, more: object = {}) => ({
  ...{ call_id: id, tool: 'pay', server: 'bank', arguments_json: '{"amount":1}', disposition: 'DISPOSITION_GATED' },
  ...more,
});
const answers = (
  step: string,
  calls: readonly object[],
  usage: object = { input_tokens: 10, output_tokens: 2 },
): Told => ['model_responded', { step_id: step, turn: 1, model: 'm', calls, usage }];
const asks = (callId: string, approval: string): Told => [
  'approval_requested',
  { step_id: 'root', call_id: callId, approval_id: approval, kind: 'APPROVAL_KIND_TOOL' },
];
const decides = (callId: string, approval: string, decision: string): Told => [
  'approval_resolved',
  { call_id: callId, approval_id: approval, decision },
  { kind: 'approver', id: 'ada', claimed: true },
];

test('a call goes through its states, and its times are those of its own', () => {
  const asked = [...begun, answers('root', [call('root#1.0')]), asks('root#1.0', 'a1')];
  expect(statesAfter(asked)).toEqual({ root: 'waiting', 'root#1.0': 'waiting' });
  expect(viewAfter(asked)).toMatchObject({ state: 'waiting' });
  const approved = [...asked, decides('root#1.0', 'a1', 'DECISION_APPROVED')];
  expect(statesAfter(approved)).toEqual({ root: 'running', 'root#1.0': 'ready' });
  const started: readonly Told[] = [...approved, ['tool_call_started', { call_id: 'root#1.0', attempt: 2 }]];
  expect(statesAfter(started)).toEqual({ root: 'running', 'root#1.0': 'running' });
  const finished: readonly Told[] = [
    ...started,
    ['tool_call_finished', { call_id: 'root#1.0', attempt: 2, content: 'paid', duration_ms: 40 }],
    ['step_finished', { step_id: 'root', output: { parts: [{ text: '', result_revision: 9 }] } }],
    ['run_completed'],
  ];
  const { nodes, state } = viewAfter(finished);
  expect(state).toBe('completed');
  expect(nodes[1]).toMatchObject({
    ...{ state: 'done', tookMs: 40, waitedMs: 1_000, attempts: 2, gave: 'paid', waits: [] },
    approvals: [{ id: 'a1', outcome: 'approved', by: '“ada” (unverified)' }],
  });
  // What a step came to may stand in another event.
  expect(nodes[0]).toMatchObject({ state: 'done', tookMs: 8_000, gave: 'paid', asked: 'pay', name: 'clerk' });
});

test.each([
  [decides('root#1.0', 'a1', 'DECISION_REJECTED'), 'rejected'],
  [decides('root#1.0', 'a1', 'DECISION_EXPIRED'), 'expired'],
  [['tool_call_in_doubt', { call_id: 'root#1.0', reason: 'the bridge died' }], 'doubt'],
  [['tool_call_refused', { call_id: 'root#1.0', reason: 'REFUSAL_REASON_NOT_ALLOWED' }], 'refused'],
  [['tool_call_finished', { call_id: 'root#1.0', is_error: true }], 'failed'],
  [['run_canceled'], 'canceled'],
] as readonly (readonly [Told, string])[])('%j leaves a call %s', (told, state) => {
  expect(statesAfter([...begun, answers('root', [call('root#1.0')]), asks('root#1.0', 'a1'), told])['root#1.0']).toBe(
    state,
  );
});

test('a call in doubt is settled by what somebody says of it', () => {
  const doubted: readonly Told[] = [
    ...begun,
    answers('root', [call('root#1.0', { disposition: 'DISPOSITION_ALLOWED' })]),
    ['tool_call_in_doubt', { call_id: 'root#1.0', reason: 'the bridge died' }],
    ['approval_requested', { call_id: 'root#1.0', approval_id: 'd', kind: 'APPROVAL_KIND_IN_DOUBT' }],
  ];
  expect(viewAfter(doubted).nodes[1]).toMatchObject({ state: 'doubt', waits: [{ kind: 'doubt', id: 'd' }] });
  const settled = (decision: string) => statesAfter([...doubted, decides('root#1.0', 'd', decision)])['root#1.0'];
  expect(['DECISION_HAPPENED', 'DECISION_GIVE_UP', 'DECISION_RUN_AGAIN'].map(settled)).toEqual([
    'done',
    'unknown',
    'ready',
  ]);
});

const calling: readonly Told[] = [
  ...begun,
  answers('root', [
    call('root#1.0', {
      ...{ platform_agent: 'billing', disposition: 'DISPOSITION_ALLOWED', repeatable: true },
      arguments_json: '{"input":"pay it back"}',
    }),
  ]),
  ['agent_called', { step_id: 'root', call_id: 'root#1.0', agent: 'billing' }],
  ['step_started', { step_id: 'root#1.0/root', node: 'Billing', node_type: 'llm' }],
];

test('an agent that another one called is one box, with its task, its own calls below it, and what it used counted above', () => {
  const asked = [
    ...calling,
    answers('root#1.0/root', [call('root#1.0/root#1.0')], { input_tokens: 5, output_tokens: 1, cost_nano_usd: '900' }),
    asks('root#1.0/root#1.0', 'a1'),
  ];
  const { nodes, spent } = viewAfter(asked);
  expect(nodes.map(({ id, depth, kind, state }) => [id, depth, kind, state])).toEqual([
    ['root', 0, 'agent', 'waiting'],
    ['root#1.0/root', 1, 'agent', 'waiting'],
    ['root#1.0/root#1.0', 2, 'tool', 'waiting'],
  ]);
  expect(nodes[1]).toMatchObject({ name: 'billing', asked: 'pay it back', parent: 'root', own: { costNanoUsd: 900 } });
  expect(spent).toEqual({ inputTokens: 15, outputTokens: 3, costNanoUsd: 900, unpriced: 1 });
});

test('who has called an agent waits for it, until it has returned', () => {
  expect(statesAfter(calling)).toEqual({ root: 'dependency', 'root#1.0/root': 'running' });
  const returned: readonly Told[] = [
    ...calling,
    ['step_finished', { step_id: 'root#1.0/root', completion: { status: 'COMPLETION_STATUS_PARTIAL' } }],
    ['agent_returned', { call_id: 'root#1.0', output: { parts: [{ text: 'half of it' }] } }],
  ];
  const { nodes } = viewAfter(returned);
  expect(nodes[0]).toMatchObject({ state: 'running' });
  expect(nodes[1]).toMatchObject({ state: 'done', gave: 'half of it', completion: 'partial' });
});

test('a branch that waits does not hide that another one works, and rounds of a loop stay apart', () => {
  const tree: readonly Told[] = [
    ...begun.slice(0, 3),
    ['step_started', { step_id: 'root', node: 'both', node_type: 'parallel' }],
    ['step_started', { step_id: 'root/0', node: 'one', node_type: 'llm' }],
    ['step_started', { step_id: 'root/1', node: 'again', node_type: 'loop' }],
    ['step_started', { step_id: 'root/1[1]/0', node: 'round', node_type: 'llm' }],
    ['step_finished', { step_id: 'root/1[1]/0' }],
    ['step_started', { step_id: 'root/1[2]/0', node: 'round', node_type: 'llm' }],
    answers('root/1[2]/0', [call('root/1[2]/0#1.0')]),
    asks('root/1[2]/0#1.0', 'a1'),
  ];
  const view = viewAfter(tree);
  expect(view.nodes.map(({ id, state, round }) => [id, state, round])).toEqual([
    // The agent has somebody asked, whatever else it does.
    ['root', 'waiting', undefined],
    ['root/0', 'running', undefined],
    ['root/1', 'waiting', undefined],
    ['root/1[1]/0', 'done', 1],
    ['root/1[2]/0', 'waiting', 2],
    ['root/1[2]/0#1.0', 'waiting', undefined],
  ]);
  expect(view.state).toBe('working');
  expect(viewAfter([...tree, ['step_finished', { step_id: 'root/0' }]]).state).toBe('waiting');
});

test('a step that is ended takes all below it along, and says why', () => {
  const { nodes } = viewAfter([
    ...calling,
    answers('root#1.0/root', [call('root#1.0/root#1.0', { disposition: 'DISPOSITION_ALLOWED' })]),
    ['step_canceled', { step_id: 'root#1.0/root', cause: 'CANCEL_CAUSE_TIME', text: 'it took too long' }],
    ['tool_call_finished', { call_id: 'root#1.0/root#1.0', late: true, content: 'done after all' }],
  ]);
  expect(nodes.map(({ state }) => state)).toEqual(['running', 'failed', 'canceled']);
  expect(nodes[1]?.notes).toEqual(['it took too long']);
  expect(nodes[2]).toMatchObject({ gave: 'done after all', notes: [expect.stringContaining('changed nothing')] });
});

test('a paused run is paused, and nothing in it claims to work', () => {
  const paused = viewAfter([...begun, ['run_paused', {}]]);
  expect([paused.state, paused.nodes[0]?.state]).toEqual(['paused', 'paused']);
  expect(viewAfter([...begun, ['run_paused', {}], ['run_resumed', {}]]).nodes[0]?.state).toBe('running');
});

test('an event that comes twice counts once, and runs stay apart', () => {
  const record = recordOf([...begun, answers('root', []), ['run_completed']]);
  const again = { event_id: 'x', time: null, actor: system, type: 'model_responded' };
  record.take({ ...again, revision: 5, payload: { run_id: 'r', step_id: 'root', usage: { input_tokens: 10 } } });
  record.take({ ...again, revision: 7, type: 'user_message_received', payload: { run_id: 's', text: 'and now?' } });
  const [first] = record.runs;
  expect(first && viewOf(first, 0).spent.inputTokens).toBe(10);
  expect(record.runs.map(outlineOf)).toMatchObject([
    { number: 1, message: 'pay', state: 'completed' },
    { number: 2, message: 'and now?', state: 'working' },
  ]);
});
