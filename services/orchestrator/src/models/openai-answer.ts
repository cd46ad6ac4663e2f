import type { AnswerUsage } from '@stopgo/core';
import { brokenOff, emptyAnswer, failed, unreadable } from './failure.ts';
import { isObject, parseObject } from './json.ts';
import { encodeOpaque, type Origin } from './opaque.ts';
import { addContent, type Content, noContent, replayFields, visibleText } from './openai-content.ts';
import type { Dialect } from './openai-dialects.ts';
import { addFragment, inOrder, type JoinedCall } from './openai-tool-calls.ts';
import type { ModelAnswer, ModelRequest } from './port.ts';
import { argumentsNotFound, type RawAnswer } from './raw-answer.ts';
import type { Attempt } from './retry.ts';
import { createToolNameReader } from './tool-names.ts';

const cutOff = ['length', 'model_length', 'max_tokens'];
/** Where the arguments of calls stand in an event as an object, with some providers; the SDK parses them. */
const argumentSteps = ['choices', '*', 'delta', 'tool_calls', '*', 'function', 'arguments'];
const stopped = ['content_filter', 'error'];

/** What a stream of chat completion chunks has brought so far. */
export type Collected = {
  content: Content;
  calls: JoinedCall[];
  refusal: string;
  usage: AnswerUsage;
  begun: boolean;
  finishReason?: string;
};

/** Nothing yet. */
export function nothingCollected(): Collected {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return { content: noContent(), calls: [], refusal: '', usage, begun: false };
}

/** Adds a chunk to what was collected; gives back the visible text it brought. What is not of the protocol is passed over. */
export function collect(collected: Collected, chunk: unknown): string {
  if (!isObject(chunk)) return '';
  addUsage(collected, isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined);
  addUsage(collected, chunk.usage);
  if (!Array.isArray(chunk.choices)) return '';
  collected.begun = true;
  let text = '';
  for (const choice of chunk.choices.filter(isObject)) {
    // Only one answer is ever asked for.
    if (choice.index !== undefined && choice.index !== 0) continue;
    const { finish_reason: reason } = choice;
    if (typeof reason === 'string' && reason !== '') collected.finishReason = reason;
    if (!isObject(choice.delta)) continue;
    const { delta } = choice;
    text += addContent(collected.content, delta);
    if (typeof delta.refusal === 'string') collected.refusal += delta.refusal;
    for (const fragment of Array.isArray(delta.tool_calls) ? delta.tool_calls : [])
      addFragment(collected.calls, fragment);
  }
  return text;
}

function addUsage(collected: Collected, usage: unknown): void {
  if (!isObject(usage)) return;
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  collected.usage = {
    inputTokens: tokens(usage.prompt_tokens),
    outputTokens: tokens(usage.completion_tokens),
    ...(isObject(prompt) && tokens(prompt.cached_tokens) > 0 ? { cachedTokens: tokens(prompt.cached_tokens) } : {}),
    ...(isObject(completion) && tokens(completion.reasoning_tokens) > 0
      ? { reasoningTokens: tokens(completion.reasoning_tokens) }
      : {}),
  };
}

function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** The answer that was collected, or why it is none. */
export function answerOf(
  collected: Collected,
  raw: RawAnswer,
  request: ModelRequest,
  dialect: Dialect,
  origin: Origin,
): Attempt<ModelAnswer> {
  const { content, finishReason, refusal, usage } = collected;
  const { provider } = dialect;
  if (!collected.begun) return unreadable('it is not a stream of chat completions');
  if (finishReason === undefined) return brokenOff();
  if (refusal.trim() !== '') return failed(`the model refused to answer (${refusal})`);
  if (stopped.includes(finishReason)) return failed(`the model stopped its answer (${finishReason})`);
  const nameOf = createToolNameReader(request.tools);
  const joined = inOrder(collected.calls);
  // Cut-off arguments may happen to be valid JSON, and would then do something that nobody asked for.
  if (joined.length > 0 && cutOff.includes(finishReason))
    return failed(`the answer was cut off in a tool call (${finishReason})`);
  if (!takeAsSent(collected.calls, raw)) return failed(argumentsNotFound);
  const calls: ModelAnswer['calls'][number][] = [];
  for (const { id, name, argumentsText } of joined) {
    if (name === '') return failed('a tool call has no name');
    const argumentsJson = argumentsText.trim() === '' ? '{}' : argumentsText;
    // What is no JSON object is handed on as it is: the call is refused, and the model is told.
    calls.push({ providerCallId: id, name: nameOf(name), argumentsJson });
  }
  const text = visibleText(content);
  const isSilent = text.trim() === '' && calls.length === 0;
  const wasCutOff = cutOff.includes(finishReason);
  if (isSilent && (request.mayBeSilent !== true || wasCutOff)) return emptyAnswer(finishReason, wasCutOff);
  const value = {
    text: isSilent ? '' : text,
    calls,
    provider,
    model: request.model,
    ...opaqueOf(content, joined, request.model, dialect, origin),
    usage,
  };
  return { kind: 'done', value: { ...value, stopReason: finishReason } };
}

/** Puts the texts that were sent in the place of arguments that the SDK has parsed; false if they cannot be found. */
function takeAsSent(calls: readonly JoinedCall[], raw: RawAnswer): boolean {
  const parsed = calls.flatMap((call) => (call.parsed === undefined ? [] : [{ call, object: call.parsed }]));
  const texts = raw.textsOf(
    parsed.map(({ object }) => object),
    argumentSteps,
  );
  if (texts === undefined) return false;
  for (const [at, { call, object }] of parsed.entries()) {
    if (call.argumentsText !== JSON.stringify(object)) return false;
    call.argumentsText = texts[at] ?? '{}';
  }
  return true;
}

/**
 * Reasoning is handed back with the calls that it led to; after an answer in words alone no provider wants it. The model is
 * kept with it, because another model of the same provider may refuse it.
 */
function opaqueOf(
  content: Content,
  calls: readonly JoinedCall[],
  model: string,
  { takesReasoning }: Dialect,
  origin: Origin,
): { opaque?: Uint8Array } {
  if (calls.length === 0) return {};
  const fields = replayFields(content, takesReasoning);
  if (!fields && calls.every(({ extra }) => Object.keys(extra).length === 0)) return {};
  const message = {
    role: 'assistant',
    content: visibleText(content) || null,
    ...fields,
    tool_calls: calls.map(({ id, name, argumentsText, extra }) => ({
      ...extra,
      id,
      type: 'function',
      // Providers refuse a history with arguments that are no JSON object.
      function: { name, arguments: parseObject(argumentsText) ? argumentsText : '{}' },
    })),
  };
  return { opaque: encodeOpaque(origin, [{ model, message }]) };
}
