import { provideInput } from '../api/approval-request.ts';
import { conversationAnswer, conversationPage, settledTurn, workingTurn } from '../api/conversation.ts';
import { busy } from '../api/error.ts';
import { conversationEvent, deltaEvent } from '../api/event.ts';
import { followConversation, getConversation, listConversations } from '../api/query.ts';
import { exportedConversation, verification } from '../api/record.ts';
import { createConversation, explained, sendMessage } from '../api/run-request.ts';
import { type Endpoint, errorExample, eventStreamType, type HeaderName, jsonType } from './endpoint.ts';
import {
  conversationExample,
  conversationId,
  pausedConversationExample,
  settledResultExample,
  waitingConversationExample,
  waitingResultExample,
  workingExample,
} from './examples.ts';

/** Bytes of UTF-8 of a message unless configured otherwise. */
const messageBytes = 64 * 1024;
const notFound = {
  description: 'No such conversation.',
  example: errorExample(`conversation not found: ${conversationId}`),
};
const malformed = {
  description: 'The body, a header or a parameter is malformed, or the body has an unknown member; nothing was done.',
  example: errorExample('invalid request body: unknown member "mesage"; did you mean "message"?'),
};
const mismatch = {
  description: 'The Idempotency-Key was used for another request.',
  example: errorExample('…'),
};
const unknown = {
  description: 'Unknown whether it took effect: repeat it with the same Idempotency-Key after Retry-After.',
  example: errorExample('…'),
};
const working = {
  description:
    'The run goes on (after the wait, at once with Prefer: respond-async, or when it only waits for an agent that is out of reach: see waiting_for). Location names the conversation.',
  example: workingExample,
  schema: workingTurn,
};
/** Headers of whatever may start a run or have it go on. */
const runHeaders: readonly HeaderName[] = ['Idempotency-Key', 'Prefer', 'X-Session-ID'];

export const conversationEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/conversations',
    summary: 'Create a conversation',
    description:
      'Opens a conversation; with a message it also does what sending that message does. Takes Idempotency-Key, X-Session-ID, Prefer (respond-async, wait=SECONDS, return=minimal) and Authorization: Bearer.',
    headers: runHeaders,
    request: {
      content_type: jsonType,
      schema: createConversation(messageBytes),
      example: { message: 'List all resources' },
    },
    responses: {
      '201': {
        description: 'Created; with the result if there was a message.',
        example: { conversation: conversationExample, result: settledResultExample },
        schema: settledTurn,
      },
      '202': working,
      '400': malformed,
      '404': { description: 'No such agent.', example: errorExample('there is no agent …') },
      '422': mismatch,
      '503': unknown,
      '504': unknown,
    },
  },
  {
    method: 'GET',
    path: '/conversations',
    summary: 'List conversations',
    description:
      'Newest first. Parameters: status (active, waiting_approval, completed), q (words to search for), limit (1 to 1000, default 100), cursor (next_cursor of the page before), include=messages (a page then ends early when its messages are more than 32 MiB). The summary counts all conversations. None is completed, since each can go on.',
    query: listConversations,
    responses: {
      '200': {
        description: 'A page; next_cursor is absent on the last one.',
        example: {
          conversations: [{ ...conversationExample, messages: undefined }],
          summary: { total: 1, active: 1, waiting_approval: 0, completed: 0 },
          position: 9,
        },
        schema: conversationPage,
      },
      '400': { description: 'A parameter is malformed.', example: errorExample('"limit" must be a whole number …') },
    },
  },
  {
    method: 'GET',
    path: '/conversations/:id',
    summary: 'Get a conversation',
    description:
      'With all its messages, or without them with Prefer: return=minimal. waiting_for is all that the run waits for, each with kind, since and a sentence in text: people (approval, input, auth); a model that cannot be asked now, an agent out of reach, a tool_server that is down, a tool_server that takes other calls first (tool_turn), a tool_bridge, or the registry in which an agent is looked up, with name, reason and next_try_at where they are known. pending_approvals are the oldest, about 1 MiB of them; if more wait, pending_approvals_total says how many, and GET /approvals?status=pending&conversation=ID lists all. While a tree of nodes waits, pipeline_state shows the node that waits longest and pipeline_states all that do, each with the ids of its approvals. With ?revision=N as it stood at that event, folded from its events (of 32 MiB at most); waiting_for then leaves out what is not on the record.',
    query: getConversation,
    headers: ['Prefer', 'X-Session-ID'],
    responses: {
      '200': {
        description: 'The conversation; here one whose agent is a tree that waits.',
        example: { conversation: pausedConversationExample },
        schema: conversationAnswer,
      },
      '404': notFound,
    },
  },
  {
    method: 'GET',
    path: '/conversations/:id/blobs/:digest',
    summary: 'Read an image, a sound or a document of a result',
    description:
      'The bytes that blobs of a tool_call name by their SHA-256, as the tool returned them. Images (PNG, JPEG, GIF, WebP) are shown in place, all else is an attachment. They never change: take ETag and If-None-Match.',
    headers: ['If-None-Match'],
    responses: {
      '200': { description: 'The bytes, of the media type that the blob has.', example: '…', content_type: '*/*' },
      '304': { description: 'The client has them (If-None-Match).', example: '', content_type: null },
      '404': {
        description: 'No event of the conversation names such a blob.',
        example: errorExample('no event of the conversation names this blob: …'),
      },
    },
  },
  {
    method: 'POST',
    path: '/conversations/:id/messages',
    summary: 'Send a message',
    description:
      'Processes a user message. A message to a conversation that waits for an approval is not taken: the answer has an "error", shows what is pending, and says so in "notice". If the run failed, "error" says why. Takes the same headers as creating a conversation; without X-Session-ID it stays in the session of the conversation.',
    headers: runHeaders,
    request: {
      content_type: jsonType,
      schema: sendMessage(messageBytes),
      example: { message: 'Create a server my-test with value 42' },
    },
    responses: {
      '200': {
        description:
          'The answer of the run, or what it waits for; with "error" if the message was not taken, or the run failed.',
        example: { conversation: waitingConversationExample, result: waitingResultExample },
        schema: settledTurn,
      },
      '202': working,
      '400': { description: 'No message, or a malformed request.', example: errorExample('message is required') },
      '404': notFound,
      '409': {
        description: 'The last message is still being worked on.',
        example: { error: 'conversation is busy', run: workingExample.run, conversation: workingExample.conversation },
        schema: busy,
      },
      '422': mismatch,
      '429': { description: 'Too many runs at once; try again after Retry-After.', example: errorExample('…') },
      '503': unknown,
      '504': unknown,
    },
  },
  {
    method: 'POST',
    path: '/conversations/:id/cancel',
    summary: 'Cancel the run',
    description:
      'Ends the open run: what is pending is withdrawn, a running call is asked to stop. Canceling a canceled run again answers the same. The name of who cancels comes from X-Approver.',
    headers: ['Idempotency-Key', 'X-Approver', 'Prefer'],
    request: {
      content_type: jsonType,
      schema: explained,
      example: { reason: 'not needed any more' },
    },
    responses: {
      '200': {
        description: 'It is canceled.',
        example: { conversation: conversationExample, result: { ...settledResultExample, response: 'Run canceled.' } },
        schema: settledTurn,
      },
      '400': malformed,
      '404': notFound,
      '409': { description: 'There is no run to cancel, or it completed or failed.', example: errorExample('…') },
      '422': mismatch,
      '503': unknown,
      '504': unknown,
    },
  },
  {
    method: 'POST',
    path: '/conversations/:id/inputs/:input',
    summary: 'Answer a tool server, or an agent',
    description:
      'Answers what a tool server asks in the midst of a call, or what an agent from git asks people for (pending_inputs of the conversation), and lets the call go on. Of several answers to one question the first counts. The name of who answers comes from X-Approver or by. Takes Idempotency-Key and Prefer.',
    headers: [...runHeaders, 'X-Approver'],
    request: {
      content_type: jsonType,
      schema: provideInput,
      example: { action: 'accept', content: { amount: 42 } },
    },
    responses: {
      '200': {
        description: 'The answer of the run, or what it waits for.',
        example: { conversation: conversationExample, result: settledResultExample },
        schema: settledTurn,
      },
      '202': working,
      '400': {
        description: 'A malformed request, or values that are not what is asked for.',
        example: errorExample('content.amount: expected a whole number from 1 to 100'),
      },
      '404': {
        description: 'No such conversation, or it asks no such question.',
        example: errorExample('conversation … asks no question …: there was none, or another run has followed'),
      },
      '409': {
        description: 'The question was answered before, or is not asked any more; the answer says what became of it.',
        example: errorExample('the question … is settled: withdrawn by … at …: the call is in doubt: …'),
      },
      '422': mismatch,
      '503': unknown,
      '504': unknown,
    },
  },
  {
    method: 'GET',
    path: '/conversations/:id/events',
    summary: 'Follow a conversation',
    description:
      'Server-sent events: every durable event from the first (or from ?from=REVISION, or after Last-Event-ID) on, then live. id is the revision, event the name of the fact; pieces of a model answer come as event delta without id and may be lost.',
    query: followConversation,
    headers: ['Last-Event-ID'],
    responses: {
      '200': {
        description: 'text/event-stream.',
        example:
          'id: 1\nevent: conversation_created\ndata: {"revision":1,"type":"conversation_created","payload":{}}\n\n',
        content_type: eventStreamType,
        events: { delta: deltaEvent, '*': conversationEvent },
      },
      '400': {
        description: 'Last-Event-ID or from is no revision, or Last-Event-ID is beyond the last event.',
        example: errorExample('…'),
      },
      '404': notFound,
      '429': { description: 'Too many open streams; try again after Retry-After.', example: errorExample('…') },
    },
  },
  {
    method: 'GET',
    path: '/conversations/:id/verification',
    summary: 'Verify the record of a conversation',
    description:
      'Recomputes the hash chain of its events and compares every row of its views with them, as stopgo verify does. head stands for all events until then: who keeps it elsewhere can tell later whether any of them was changed or cut off (stopgo verify --against). Two are verified at once.',
    responses: {
      '200': {
        description: 'Verified. sound is false if anything is wrong, and problems says what; there is no head then.',
        example: {
          ...{ sound: true, events: 12, problems: [] },
          head: { stream: 'conversation-3f0a…', revision: 12, hash: '9b1c…' },
          verified_at: '2026-11-27T09:05:44.818Z',
        },
        schema: verification,
      },
      '404': notFound,
      '429': { description: 'Two are being verified; try again after Retry-After.', example: errorExample('…') },
    },
  },
  {
    method: 'GET',
    path: '/conversations/:id/export',
    summary: 'Export a conversation',
    description:
      'One document with all there is of it: as GET /conversations/:id shows it, and each event with its bytes and its hash. The hash of an event is SHA-256 of the hash before it (32 zero bytes before the first) and of the bytes of envelope_base64. Images and documents are named by their digest.',
    responses: {
      '200': {
        description: 'A file, sent while it is read.',
        example: {
          stream: 'conversation-3f0a…',
          conversation: conversationExample,
          events: [
            {
              ...{ revision: 1, event_id: '…', at: '2026-11-27T09:05:44.818Z', actor: { kind: 'user', id: 'ana' } },
              ...{ type: 'ConversationCreated', value: { agentName: 'tester' }, envelope_base64: '…', hash: '…' },
            },
          ],
        },
        schema: exportedConversation,
      },
      '404': notFound,
    },
  },
];
