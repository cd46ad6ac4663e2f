/** The data that the examples of the documentation share. */

export const conversationId = '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d';
export const approvalId = '3b241101-e2bb-4255-8caf-4136c566a962';
const runId = 'a1f0c9e4-3c5d-4a57-8f58-5a2f0e9d7c11';
const time = '2026-01-15T10:30:00.000Z';
const description = '**ADD Resource**\n\nName: my-test\nValue: 42';

export const approvalExample = {
  uuid: approvalId,
  conversation_id: conversationId,
  run_id: runId,
  kind: 'tool',
  tool_name: 'resources_add',
  server: 'resources',
  tool_args: { name: 'my-test', value: 42 },
  description: description,
  choices: ['approve', 'reject'],
  status: 'pending',
  created_at: time,
};

export const inputExample = {
  id: 'c0a8f3de-7a6b-4f0e-9d0b-2f6f0c1b5a77',
  conversation_id: conversationId,
  mode: 'form',
  server: 'shop',
  tool: 'shop_order',
  call_id: 'root#1.0',
  message: 'How many?',
  requested_schema: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
  choices: ['accept', 'decline', 'cancel'],
  requested_at: time,
};

export const conversationExample = {
  id: conversationId,
  session_id: 'a1b2c3d4',
  context_id: conversationId,
  status: 'active',
  title: 'List all resources',
  run: {
    id: runId,
    status: 'completed',
    usage: { input_tokens: 1620, output_tokens: 312, cost_nano_usd: 1_266_000 },
  },
  messages: [{ id: 'a3c5…', role: 'user', content: 'List all resources', created_at: time }],
  message_count: 1,
  pending_approvals: [],
  revision: 9,
  created_at: time,
  updated_at: time,
};

export const waitingConversationExample = {
  ...conversationExample,
  status: 'waiting_approval',
  run: { id: runId, status: 'waiting' },
  pending_approval: approvalExample,
  pending_approvals: [approvalExample],
};

/** A conversation whose agent is a tree, paused at its second node. */
const pausedExample = {
  paused_node_path: [1],
  paused_node_output_key: 'created',
  session_state: { analysis: 'There is no server yet.' },
  user_message: 'Look what is there, then create a server',
  node: 'creator',
  step_id: 'root/1',
  approvals: [approvalId],
};

export const pausedConversationExample = {
  ...waitingConversationExample,
  title: 'Look what is there, then create a server',
  messages: [
    { id: 'a3c5…', role: 'user', content: pausedExample.user_message, created_at: time },
    { id: 'b7d1…', role: 'assistant', content: '[analyst] There is no server yet.', node: 'analyst', created_at: time },
  ],
  message_count: 2,
  pending_approval: { ...approvalExample, node: 'creator' },
  pending_approvals: [{ ...approvalExample, node: 'creator' }],
  pipeline_state: pausedExample,
  pipeline_states: [pausedExample],
};

export const settledResultExample = {
  response: 'There are no resources.',
  waiting_approval: false,
  approvals: [],
  auth_required: false,
};

export const waitingResultExample = {
  response: `This action requires approval:\n\n${description}\n\nPlease approve or reject using the approval UUID: ${approvalId}`,
  waiting_approval: true,
  approval: approvalExample,
  approvals: [approvalExample],
  auth_required: false,
};

/** Of a run that is worked on and cannot go on now. */
const waitingForExample = [
  {
    kind: 'agent',
    name: 'peer',
    since: time,
    next_try_at: '2026-01-15T10:30:15.000Z',
    reason: 'it does not answer when it is asked about the task',
    text: `the agent "peer" is out of reach since ${time}, next try at 2026-01-15T10:30:15.000Z`,
  },
];

export const workingExample = {
  conversation: {
    ...conversationExample,
    run: { id: runId, status: 'working' },
    waiting_for: waitingForExample,
  },
  run: { id: runId, status: 'working' },
};
