import { randomBytes } from 'node:crypto';
import type { JsonObject } from './json.ts';
import { callThoughtAbout, thinkingSignature } from './signatures.ts';
import { type Answer, chunksOf, outputTokens, type Turn, tokensOf } from './turn.ts';

// What OpenAI's chat completions answer, with OpenRouter's form of reasoning that wants to be handed back.

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** An answer as the body of a plain response. */
export function openaiResponse(turn: Turn, answer: Answer): JsonObject {
  const { thinking } = answer;
  const calls = callsOf(answer);
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    refusal: null,
    ...(thinking === undefined
      ? {}
      : { reasoning_details: [detail({ text: thinking, signature: thinkingSignature(thinking) })] }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...envelope(turn, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReason(answer), logprobs: null }],
    usage: usageOf(turn, answer),
  };
}

/** An answer as the chunks of a streamed response: reasoning, text and arguments in pieces, the end, the usage if wanted. */
export function openaiChunks(turn: Turn, answer: Answer): JsonObject[] {
  const head = envelope(turn, 'chat.completion.chunk');
  const chunk = (delta: JsonObject, reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }],
    ...(turn.usageInStream ? { usage: null } : {}),
  });
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...thoughtsOf(answer).map((part) => chunk({ reasoning_details: [detail(part)] })),
    ...chunksOf(answer.text).map((content) => chunk({ content })),
    ...callsOf(answer).flatMap(({ id, type, function: { name, arguments: text } }, index) => [
      chunk({ tool_calls: [{ index, ...(id === undefined ? {} : { id }), type, function: { name, arguments: '' } }] }),
      ...chunksOf(text).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finishReason(answer)),
    ...(turn.usageInStream ? [{ ...head, choices: [], usage: usageOf(turn, answer) }] : []),
  ];
}

function thoughtsOf({ thinking }: Answer): JsonObject[] {
  if (thinking === undefined) return [];
  return [...chunksOf(thinking).map((text) => ({ text })), { text: '', signature: thinkingSignature(thinking) }];
}

function detail(part: JsonObject): JsonObject {
  return { type: 'reasoning.text', format: 'offline', index: 0, ...part };
}

function callsOf(answer: Answer) {
  const prefix = answer.thinking === undefined ? 'call_' : callThoughtAbout;
  return answer.calls.map((call) => ({
    id: answer.withoutIds ? undefined : `${prefix}${randomBytes(9).toString('hex')}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
}

function finishReason(answer: Answer): string {
  return answer.calls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf(turn: Turn, answer: Answer): JsonObject {
  const prompt = tokensOf(turn.inputCharacters);
  const completion = outputTokens(answer);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function envelope(turn: Turn, object: string): JsonObject {
  return { id: `chatcmpl-${randomBytes(12).toString('hex')}`, object, created: 0, model: turn.model };
}

/** An error as OpenAI words it. */
export function openaiError(status: number, message: string): JsonObject {
  const type = errorTypes[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param: null, code: null } };
}

/** The server-sent events of a stream, with the one that says that it is over. */
export function openaiEvents(chunks: readonly JsonObject[]): string[] {
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
}
