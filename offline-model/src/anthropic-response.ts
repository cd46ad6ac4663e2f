import { randomBytes } from 'node:crypto';
import type { JsonObject } from './json.ts';
import { thinkingSignature, thoughtAboutMark } from './signatures.ts';
import { type Answer, chunksOf, outputTokens, type Turn, tokensOf } from './turn.ts';

// What Anthropic's Messages API answers.

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An answer as the body of a plain response. */
export function anthropicResponse(turn: Turn, answer: Answer): JsonObject {
  return envelope(turn, blocksOf(answer), stopReason(answer), outputTokens(answer));
}

/** An answer as the events of a streamed response, in the order and the framing of the Messages API. */
export function anthropicEvents(turn: Turn, answer: Answer): JsonObject[] {
  const events: JsonObject[] = [{ type: 'message_start', message: envelope(turn, [], null, 1) }, { type: 'ping' }];
  for (const [index, block] of blocksOf(answer).entries()) {
    events.push({ type: 'content_block_start', index, content_block: emptied(block) });
    for (const delta of deltasOf(block)) events.push({ type: 'content_block_delta', index, delta });
    events.push({ type: 'content_block_stop', index });
  }
  const delta = { stop_reason: stopReason(answer), stop_sequence: null };
  events.push({ type: 'message_delta', delta, usage: { output_tokens: outputTokens(answer) } });
  return [...events, { type: 'message_stop' }];
}

function blocksOf(answer: Answer): JsonObject[] {
  const { thinking } = answer;
  const prefix = thinking === undefined ? 'toolu_' : thoughtAboutMark;
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: thinkingSignature(thinking) }]),
    ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
    ...answer.calls.map((call) => ({
      type: 'tool_use',
      id: `${prefix}${randomBytes(12).toString('hex')}`,
      name: call.name,
      input: call.args,
    })),
  ];
}

function emptied(block: JsonObject): JsonObject {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
}

function deltasOf(block: JsonObject): JsonObject[] {
  switch (block.type) {
    case 'thinking':
      return [
        ...chunksOf(String(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'text':
      return chunksOf(String(block.text)).map((text) => ({ type: 'text_delta', text }));
    default:
      // The real stream opens with an empty piece of JSON.
      return ['', ...chunksOf(JSON.stringify(block.input))].map((piece) => ({
        type: 'input_json_delta',
        partial_json: piece,
      }));
  }
}

function stopReason(answer: Answer): string {
  return answer.calls.length > 0 ? 'tool_use' : 'end_turn';
}

function envelope(turn: Turn, content: readonly JsonObject[], stop: string | null, tokens: number): JsonObject {
  return {
    id: `msg_${randomBytes(12).toString('hex')}`,
    type: 'message',
    role: 'assistant',
    model: turn.model,
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: tokensOf(turn.inputCharacters), output_tokens: tokens },
  };
}

/** An error as Anthropic words it. */
export function anthropicError(status: number, message: string): JsonObject {
  return { type: 'error', error: { type: errorTypes[status] ?? 'api_error', message } };
}

/** One server-sent event of a stream. */
export function anthropicEvent(event: JsonObject): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
