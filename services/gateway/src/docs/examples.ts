/** The data that the examples of the documentation share. */

export const CONVERSATION_ID = '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d';
export const APPROVAL_ID = '3b241101-e2bb-4255-8caf-4136c566a962';
const RUN_ID = 'a1f0c9e4-3c5d-4a57-8f58-5a2f0e9d7c11';
const TIME = '2026-01-15T10:30:00.000Z';
const DESCRIPTION = '**ADD Resource**\n\nName: my-test\nValue: 42';

export const approvalExample = {
  uuid: APPROVAL_ID,
  conversation_id: CONVERSATION_ID,
  run_id: RUN_ID,
  kind: 'tool',
  tool_name: 'resources_add',
  server: 'resources',
  tool_args: { name: 'my-test', value: 42 },
  description: DESCRIPTION,
  choices: ['approve', 'reject'],
  status: 'pending',
  created_at: TIME,
};

export const conversationExample = {
  id: CONVERSATION_ID,
  session_id: 'a1b2c3d4',
  status: 'active',
  title: 'List all resources',
  run: { id: RUN_ID, status: 'completed' },
  messages: [{ id: 'a3c5…', role: 'user', content: 'List all resources', created_at: TIME }],
  message_count: 1,
  pending_approvals: [],
  revision: 9,
  created_at: TIME,
  updated_at: TIME,
};

export const waitingConversationExample = {
  ...conversationExample,
  status: 'waiting_approval',
  run: { id: RUN_ID, status: 'waiting' },
  pending_approval: approvalExample,
  pending_approvals: [approvalExample],
};

export const settledResultExample = {
  response: 'There are no resources.',
  waiting_approval: false,
  approvals: [],
  auth_required: false,
};

export const waitingResultExample = {
  response: `This action requires approval:\n\n${DESCRIPTION}\n\nPlease approve or reject using the approval UUID: ${APPROVAL_ID}`,
  waiting_approval: true,
  approval: approvalExample,
  approvals: [approvalExample],
  auth_required: false,
};

export const workingExample = {
  conversation: { ...conversationExample, run: { id: RUN_ID, status: 'working' } },
  run: { id: RUN_ID, status: 'working' },
};
