import { type Endpoint, errorExample, jsonType } from './endpoint.ts';
import { conversationExample, settledResultExample } from './examples.ts';

const over = {
  description: 'There is no run that goes on (reason no_run or settled).',
  example: errorExample('the run of conversation … has completed; it does not go on'),
};
const mismatch = { description: 'The Idempotency-Key was used for another request.', example: errorExample('…') };
const absent = { description: 'No such conversation.', example: errorExample('conversation not found: …') };

export const stepEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/runs/:id/pause',
    summary: 'Pause a run',
    description:
      'Nothing new begins in the open run: no model is asked, no call made. What is under way ends and is recorded; decisions are taken, and have their effect once the run is resumed. Times that agents may take do not run meanwhile. The run is named by the id of its conversation, which shows who paused it (run.paused). Pausing a paused run answers the same again. The name of who pauses comes from X-Approver. Takes Idempotency-Key.',
    request: {
      content_type: jsonType,
      schema: { reason: { type: 'string', description: 'Why, at most 1 KiB', required: false } },
      example: { reason: 'I look at it first' },
    },
    responses: {
      '200': {
        description: 'It is paused.',
        example: {
          conversation: conversationExample,
          result: { ...settledResultExample, response: 'The run is paused by ada until somebody resumes it.' },
        },
      },
      '202': {
        description: 'It is paused, and something is under way still.',
        example: { run: { id: '…', status: 'working' } },
      },
      '404': absent,
      '409': over,
      '422': mismatch,
    },
  },
  {
    method: 'POST',
    path: '/runs/:id/resume',
    summary: 'Resume a paused run',
    description:
      'The run goes on where it was. Of one that is not paused it answers how that stands. The name of who resumes comes from X-Approver. Takes Idempotency-Key and Prefer.',
    request: { content_type: jsonType, schema: {}, example: {} },
    responses: {
      '200': {
        description: 'The answer of the run, or what it waits for.',
        example: { conversation: conversationExample, result: settledResultExample },
      },
      '202': { description: 'It goes on.', example: { run: { id: '…', status: 'working' } } },
      '404': absent,
      '409': over,
      '422': mismatch,
    },
  },
  {
    method: 'POST',
    path: '/runs/:id/steps/:step/cancel',
    summary: 'Cancel a step of a run',
    description:
      'Ends a step of the open run, and everything below it: the run goes on as after any failure. Of an agent that was called, its caller is told who ended it and why. Approvals below are withdrawn, running calls are asked to stop. The run is named by the id of its conversation, the step by its id as events show it (root#1.0/root), with / and # percent-encoded; that of the call an agent works on stands for the agent. The step root is the run itself. The name of who cancels comes from X-Approver. Takes Idempotency-Key and Prefer.',
    request: {
      content_type: jsonType,
      schema: { reason: { type: 'string', description: 'Why, at most 1 KiB', required: false } },
      example: { reason: 'takes too long' },
    },
    responses: {
      '200': {
        description: 'It has ended: the answer of the run, or what it waits for.',
        example: { conversation: conversationExample, result: settledResultExample },
      },
      '202': { description: 'It has ended, and the run goes on.', example: { run: { id: '…', status: 'working' } } },
      '404': {
        description: 'No such conversation, or its run has no such step now (reason no_step).',
        example: errorExample('the run of conversation … has no step root/7 that goes on'),
      },
      '409': {
        description: 'The step has ended (reason over), or there is no run that goes on (reason no_run or settled).',
        example: errorExample('the step root/0 of conversation … has ended; there is nothing to cancel'),
      },
      '422': { description: 'The Idempotency-Key was used for another request.', example: errorExample('…') },
    },
  },
];
