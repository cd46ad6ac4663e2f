import { approvalAnswer, approvalCounts, approvalPage } from '../api/approval.ts';
import { decision, decisions } from '../api/approval-request.ts';
import { workingTurn } from '../api/conversation.ts';
import { decided, decidedMany } from '../api/decided.ts';
import { approvalEvent } from '../api/event.ts';
import { followApprovals, listApprovals } from '../api/query.ts';
import { type Endpoint, errorExample, eventStreamType, jsonType } from './endpoint.ts';
import { approvalExample, approvalId, conversationExample, settledResultExample, workingExample } from './examples.ts';

const notFound = {
  description: 'No such approval.',
  example: errorExample(`no conversation found with approval UUID: ${approvalId}`),
};

const unknown = {
  description: 'Unknown whether it took effect: repeat it with the same Idempotency-Key after Retry-After.',
  example: errorExample('…'),
};

export const approvalEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/approvals',
    query: listApprovals,
    summary: 'List approvals',
    description:
      'Oldest first. Parameters: status (pending, approved, rejected, expired, withdrawn), conversation (an id), tool, server and node (each exactly as tool_name, server and node show it; in tool * stands for any characters and ? for one), agent (the name of the agent of the conversation), requested_before (a time), overdue=true (what waits longer than it should), may_decide=me (what waits and whoever is signed in may decide, also in conversations of others, until they have said yes; without conversation), assignee (me, none, an e-mail address; what waits and is assigned so, of me as far as I may decide it), limit (1 to 1000, default 100), cursor. A page may be short, or empty: go on until next_cursor is absent. One that waits longer than it should has overdue.',
    responses: {
      '200': {
        schema: approvalPage,
        description: 'A page; next_cursor is absent on the last one.',
        example: { approvals: [approvalExample] },
      },
      '400': { description: 'A parameter is malformed.', example: errorExample('"status" must be one of …') },
    },
  },
  {
    method: 'GET',
    path: '/approvals/counts',
    headers: ['X-Approver'],
    summary: 'Count what waits',
    description:
      'How many approvals wait, and how many of them longer than they should: as many as the list has with status=pending, and with overdue=true. Of whoever is signed in also how many they may decide, as many as with may_decide=me. Of whoever is signed in, or sends a name in X-Approver, how many are assigned to them, as many as with assignee=me. Each is counted up to 10,000, which then stands for that many or more. A count may lag behind what was just recorded.',
    responses: {
      '200': {
        schema: approvalCounts,
        description: 'The numbers.',
        example: { counts: { waiting: 12, may_decide: 3, overdue: 1, assigned_to_me: 2 } },
      },
    },
  },
  {
    method: 'GET',
    path: '/approvals/events',
    query: followApprovals,
    headers: ['Last-Event-ID', 'X-Approver'],
    summary: 'Follow what becomes of approvals',
    description:
      'An event stream of the changes of approvals across conversations, of those that the list would show to whoever asks: asked, voted, edited, assigned, reminded, escalated, settled. Takes the parameters of the list but overdue, limit and cursor; may_decide=me goes on after you have said yes, and tells what was settled; also=may_decide tells, beside what the list would show, what you may decide in conversations of others; with assignee each assignment is told. The id of an event is a place in the log, the same at every gateway: with it in Last-Event-ID, or after, the stream goes on without loss, also after a restart. Without one it begins with what happens from now on; its first message has an id and no data. A message without data moves the place on. The approval is shown as it is when it is sent. It ends within 30 s once you may not see what it tells any more.',
    responses: {
      '200': {
        description: 'text/event-stream. The data of one event.',
        content_type: eventStreamType,
        events: { '*': approvalEvent },
        example: {
          ...{ change: 'asked', time: '2026-01-15T10:30:00.000Z' },
          ...{ actor: { kind: 'system', id: 'orchestrator-1' }, approval: approvalExample },
        },
      },
      '400': {
        description: 'A parameter is malformed, or the log has not reached the place to go on from.',
        example: errorExample('…'),
      },
    },
  },
  {
    method: 'GET',
    path: '/approvals/:uuid',
    summary: 'Get an approval',
    description: 'Shows one approval, with its decision if it is settled.',
    responses: {
      '200': { schema: approvalAnswer, description: 'The approval.', example: { approval: approvalExample } },
      '404': notFound,
    },
  },
  {
    method: 'POST',
    path: '/approvals/decide',
    headers: ['Idempotency-Key', 'X-Approver'],
    summary: 'Decide on many',
    description:
      'Decides on up to 100 approvals, one after the other, and waits for no run. Each is answered on its own, with the status and the body that it would have had alone; nothing is decided if the request cannot be read as a whole. Takes Idempotency-Key.',
    request: {
      content_type: jsonType,
      schema: decisions,
      example: { decisions: [{ uuid: approvalId, approved: true }] },
    },
    responses: {
      '200': {
        schema: decidedMany,
        description: 'What became of each, in their order.',
        example: { results: [{ uuid: approvalId, status: 200, approval: approvalExample }] },
      },
      '400': {
        description: 'The list, or one of it, cannot be read; nothing changed.',
        example: errorExample('"decisions[0]": the body holds no decision: …'),
      },
    },
  },
  {
    method: 'POST',
    path: '/approvals/:uuid',
    headers: ['Idempotency-Key', 'Prefer', 'X-Session-ID', 'X-Approver'],
    summary: 'Approve or reject',
    description:
      'Decides on an approval and lets the run go on. Approve with {"approved": true}, or action or answer in yes, y, true, approve, approved, ok, confirm; reject with {"approved": false}, or no, n, false, reject, rejected, deny, denied, cancel. A call that has not run is taken back with {"action": "withdraw"}. A call of a tool is approved with other arguments with {"action": "approve", "arguments": {…}}: its approval is withdrawn (replaced_by), the changed call is judged by the rules anew, and another approval asked for, which this is a yes to. A call in doubt is decided with {"action": "run_again" | "happened" | "give_up"}. The name of who decides comes from X-Approver or by. Takes Idempotency-Key and Prefer.',
    request: {
      content_type: jsonType,
      schema: decision,
      example: { approved: true },
    },
    responses: {
      '200': {
        schema: decided,
        description: 'Decided; what the run came to, or what it still waits for.',
        example: { conversation: conversationExample, result: settledResultExample },
      },
      '202': {
        schema: workingTurn,
        description:
          'Decided; the run goes on. An agent that is out of reach keeps nobody waiting: waiting_for says so, and the decision is sent when it is back.',
        example: workingExample,
      },
      '400': {
        description: 'The body holds no clear decision, or one that does not fit; nothing changed.',
        example: errorExample('the body holds no decision: …'),
      },
      '404': notFound,
      '409': {
        description:
          'It was decided before, or withdrawn; with reason edit: a rule forbids the changed call, or the call cannot be changed.',
        example: {
          error: '…',
          reason: 'settled',
          decision: 'approved',
          decided_by: 'ada',
          decided_by_identity: { name: 'ada', claimed: true },
          decided_at: '2026-01-15T10:31:00.000Z',
        },
      },
      '422': { description: 'The Idempotency-Key was used for another request.', example: errorExample('…') },
      '503': unknown,
      '504': unknown,
    },
  },
];
