import { settledTurn, workingTurn } from '../api/conversation.ts';
import { explained, resumed } from '../api/run-request.ts';
import { stepList } from '../api/step.ts';
import { type Endpoint, errorExample, jsonType } from './endpoint.ts';
import { conversationExample, settledResultExample, workingExample } from './examples.ts';

const over = {
  description: 'There is no run that goes on (reason no_run or settled).',
  example: errorExample('the run of conversation … has completed; it does not go on'),
};
const mismatch = { description: 'The Idempotency-Key was used for another request.', example: errorExample('…') };
const absent = { description: 'No such conversation.', example: errorExample('conversation not found: …') };

export const stepEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/runs/:id/steps',
    summary: 'List the agents of a run',
    description:
      'Each agent that works or worked in the latest run of a conversation, in the order in which they began: its task, who called it (parent), where it stands (WORKING, BLOCKED_ON_INPUT, BLOCKED_ON_DEPENDENCY, COMPLETED, FAILED, CANCELED), what it waits for by itself (waits_for: another agent by the id of its step, or an approval, in_doubt, input or auth that people answer, by its id), what it says that came of it, why it failed or was canceled (error, and ended_by: a person, its time, or a limit of what it may use), the commit that it is of, what its own models used, and, while the run goes on, the keys of shared data that it wrote last (shared_keys). Who took too long or used too much has failed; who worked below it was canceled. Only the events of that run are read, however long the conversation is. The run is named by the id of its conversation.',
    responses: {
      '200': {
        schema: stepList,
        description: 'All of them. An agent of the configuration is one step.',
        example: {
          run: { id: '…', status: 'waiting' },
          steps: [
            {
              ...{ id: 'root', agent: 'support/tier1', state: 'BLOCKED_ON_INPUT', input: 'Cancel my order' },
              waits_for: [{ kind: 'agent', id: 'root#1.0/root' }],
              agent_source: { repository: 'main', git_commit: '…', file_path: 'support/tier1/prompt.md' },
              usage: { input_tokens: 812, output_tokens: 40 },
              ...{ turns: 1, tool_calls: 0, agent_calls: 1, started_at: '2026-11-27T09:05:44.818Z' },
            },
          ],
        },
      },
      '404': absent,
    },
  },
  {
    method: 'POST',
    path: '/runs/:id/pause',
    headers: ['Idempotency-Key', 'X-Approver'],
    summary: 'Pause a run',
    description:
      'Nothing new begins in the open run: no model is asked, no call made. What is under way ends and is recorded; decisions are taken, and have their effect once the run is resumed. Times that agents may take do not run meanwhile. The run is named by the id of its conversation, which shows who paused it (run.paused). Pausing a paused run answers the same again. The name of who pauses comes from X-Approver. Takes Idempotency-Key.',
    request: {
      content_type: jsonType,
      schema: explained,
      example: { reason: 'I look at it first' },
    },
    responses: {
      '200': {
        schema: settledTurn,
        description: 'It is paused.',
        example: {
          conversation: conversationExample,
          result: { ...settledResultExample, response: 'The run is paused by ada until somebody resumes it.' },
        },
      },
      '202': {
        schema: workingTurn,
        description: 'It is paused, and something is under way still.',
        example: workingExample,
      },
      '404': absent,
      '409': over,
      '422': mismatch,
    },
  },
  {
    method: 'POST',
    path: '/runs/:id/resume',
    headers: ['Idempotency-Key', 'Prefer', 'X-Session-ID', 'X-Approver'],
    summary: 'Resume a paused run',
    description:
      'The run goes on where it was. At a limit of an agent (conversation.run.paused has agent and reached) this needs the scope approve, and lets that agent use as much again, or what limits says from then on in this run; a limit that is named has to be more than what is used, and each that is reached has to be named. What the agent may use then stands with its step (limits). Of a run that is not paused it answers how that stands, unless it brings limits. The name of who resumes comes from X-Approver. Takes Idempotency-Key and Prefer.',
    request: { content_type: jsonType, schema: resumed, example: { limits: { max_tokens: 50_000 } } },
    responses: {
      '200': {
        schema: settledTurn,
        description: 'The answer of the run, or what it waits for.',
        example: { conversation: conversationExample, result: settledResultExample },
      },
      '202': { schema: workingTurn, description: 'It goes on.', example: workingExample },
      '404': absent,
      '409': {
        description:
          'There is no run that goes on (reason no_run or settled); or limits are given, and it is not paused at a limit (not_at_limit), or something is used up that they do not raise (limit_used).',
        example: {
          error: 'the agent has used 1,200 tokens already: max_tokens must be more than that',
          reason: 'limit_used',
        },
      },
      '422': mismatch,
    },
  },
  {
    method: 'POST',
    path: '/runs/:id/steps/:step/cancel',
    headers: ['Idempotency-Key', 'Prefer', 'X-Session-ID', 'X-Approver'],
    summary: 'Cancel a step of a run',
    description:
      'Ends a step of the open run, and everything below it: the run goes on as after any failure. Of an agent that was called, its caller is told who ended it and why. Approvals below are withdrawn, running calls are asked to stop. The run is named by the id of its conversation, the step by its id as events show it (root#1.0/root), with / and # percent-encoded; that of the call an agent works on stands for the agent. The step root is the run itself. The name of who cancels comes from X-Approver. Takes Idempotency-Key and Prefer.',
    request: {
      content_type: jsonType,
      schema: explained,
      example: { reason: 'takes too long' },
    },
    responses: {
      '200': {
        schema: settledTurn,
        description: 'It has ended: the answer of the run, or what it waits for.',
        example: { conversation: conversationExample, result: settledResultExample },
      },
      '202': {
        schema: workingTurn,
        description: 'It has ended, and the run goes on.',
        example: workingExample,
      },
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
