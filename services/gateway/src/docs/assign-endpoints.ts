import { approvalAnswer } from '../api/approval.ts';
import { assignTo, bySomebody } from '../api/approval-request.ts';
import { type Endpoint, errorExample, jsonType } from './endpoint.ts';
import { approvalExample, approvalId } from './examples.ts';

const refusals = {
  '403': { description: 'Who may not decide it does not assign it.', example: errorExample('…') },
  '404': {
    description: 'No such approval.',
    example: errorExample(`no conversation found with approval UUID: ${approvalId}`),
  },
  '503': {
    description: 'Unknown whether it took effect: repeat it with the same Idempotency-Key after Retry-After.',
    example: errorExample('…'),
  },
};

const assignee = {
  ...{ name: 'ana@example.com', claimed: false },
  ...{ assigned_by: { name: 'bob@example.com', claimed: false }, assigned_at: '2026-01-15T10:31:00.000Z' },
};

export const assignEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/approvals/:uuid/assign',
    headers: ['Idempotency-Key', 'X-Approver'],
    summary: 'Assign an approval',
    description:
      'Says who is to look at an approval that waits. It is a hint: whoever may decide it still may. Whoever may decide it assigns it, or an administrator, and only to somebody who may decide it. Takes Idempotency-Key.',
    request: {
      content_type: jsonType,
      schema: assignTo,
      example: { to: 'ana@example.com' },
    },
    responses: {
      '200': {
        schema: approvalAnswer,
        description: 'It is assigned, or was so already.',
        example: { approval: { ...approvalExample, assignee } },
      },
      '400': { description: 'The body does not say to whom.', example: errorExample('"to" must be …') },
      ...refusals,
      '409': {
        description:
          'With reason assignee: there is no such user, or they may not decide it; the text says why. With reason settled: it does not wait any more.',
        example: { error: '…', reason: 'assignee' },
      },
    },
  },
  {
    method: 'POST',
    path: '/approvals/:uuid/unassign',
    headers: ['Idempotency-Key', 'X-Approver'],
    summary: 'Assign an approval to nobody',
    description: 'Nobody in particular is to look at it any more. Takes Idempotency-Key.',
    request: { content_type: jsonType, schema: bySomebody, example: {} },
    responses: {
      '200': {
        schema: approvalAnswer,
        description: 'It is assigned to nobody, or was so already.',
        example: { approval: approvalExample },
      },
      ...refusals,
      '409': { description: 'It does not wait any more.', example: { error: '…', reason: 'settled' } },
    },
  },
];
