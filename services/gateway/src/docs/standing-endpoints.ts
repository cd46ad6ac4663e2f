import { decidedBySomebody, grantStanding } from '../api/approval-request.ts';
import { conversationAnswer } from '../api/conversation.ts';
import { type Endpoint, errorExample, jsonType } from './endpoint.ts';
import { approvalId, conversationExample } from './examples.ts';

const standing = {
  id: '5d1c8f7a-2f64-4a53-9a0e-6a4f3f2f6b11',
  approval_id: approvalId,
  server: 'resources',
  tool: 'add_resource',
  arguments: 'any',
  granted_by: 'ada',
  granted_at: '2026-01-15T10:31:00.000Z',
};

export const standingEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/approvals/:uuid/standing',
    headers: ['Idempotency-Key', 'X-Approver'],
    summary: 'Approve the like of a call',
    description:
      'Lets calls like that of the approval run without asking, for the rest of the conversation: of the same tool as it is defined now, with exactly the same arguments or with any. It says nothing of the approval itself, which is decided as ever. It loosens neither approval: require nor a rule that says who decides. Each call that it lets run names it on the record. Takes Idempotency-Key.',
    request: {
      content_type: jsonType,
      schema: grantStanding,
      example: { arguments: 'any' },
    },
    responses: {
      '200': {
        schema: conversationAnswer,
        description: 'It stands, or stood already.',
        example: { conversation: { ...conversationExample, standing_approvals: [standing] } },
      },
      '400': { description: 'The body does not say how far it goes.', example: errorExample('"arguments" must be …') },
      '404': {
        description: 'No such approval.',
        example: errorExample(`no conversation found with approval UUID: ${approvalId}`),
      },
      '409': {
        description:
          'The run of the approval is over (reason past), a rule says who decides (reason demanded), or there are as many as there may be (reason full).',
        example: { error: '…', reason: 'past' },
      },
    },
  },
  {
    method: 'POST',
    path: '/conversations/:id/standing/:standing/revoke',
    headers: ['Idempotency-Key', 'X-Approver'],
    summary: 'Take it back',
    description: 'Calls that the model asks for from then on are asked about. Takes Idempotency-Key.',
    request: { content_type: jsonType, schema: decidedBySomebody, example: {} },
    responses: {
      '200': {
        schema: conversationAnswer,
        description: 'It does not stand any more.',
        example: { conversation: conversationExample },
      },
      '404': { description: 'No such standing approval, or not any more.', example: errorExample('…') },
    },
  },
];
