import type { GenerateContentResponse, Part } from '@google/genai';
import type { AnswerUsage } from '@stopgo/core';
import { brokenOff, emptyAnswer, failed } from './failure.ts';
import { isObject } from './json.ts';
import { encodeOpaque, type Origin } from './opaque.ts';
import type { ModelAnswer, ModelRequest } from './port.ts';
import { argumentsNotFound, type RawAnswer } from './raw-answer.ts';
import type { Attempt } from './retry.ts';
import { createToolNameReader } from './tool-names.ts';

const blamelessEnds = ['STOP', 'MAX_TOKENS'];
const toBeContinued = 'CONTINUATION';
/** Where the arguments of calls stand in an event; the SDK parses them. */
const argumentSteps = ['candidates', 0, 'content', 'parts', '*', 'functionCall', 'args'];

/** What a stream has brought so far; over several requests, if the provider answers in instalments. */
export type Collected = {
  parts: Part[];
  /** Usage of each request, in order; a stream repeats its running total. */
  usage: AnswerUsage[];
  chunks: number;
  finishReason?: string;
  blockReason?: string;
  continuationToken?: string;
};

/** Nothing yet. */
export function nothingCollected(): Collected {
  return { parts: [], usage: [], chunks: 0 };
}

/** If the answer is to be continued by another request: gets ready for it and gives the token to send. */
export function continuationOf(collected: Collected): string | undefined {
  const { finishReason, continuationToken } = collected;
  if (finishReason !== toBeContinued || continuationToken === undefined) return undefined;
  delete collected.finishReason;
  delete collected.continuationToken;
  return continuationToken;
}

/** Adds a chunk of the request of this number (from 0) to what was collected; gives back the visible text it brought. */
export function collect(collected: Collected, chunk: GenerateContentResponse, requestNumber: number): string {
  collected.chunks += 1;
  const { usageMetadata: usage, promptFeedback } = chunk;
  if (promptFeedback?.blockReason) collected.blockReason = promptFeedback.blockReason;
  if (usage) {
    collected.usage[requestNumber] = {
      inputTokens: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
      outputTokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
      cachedTokens: usage.cachedContentTokenCount ?? 0,
      reasoningTokens: usage.thoughtsTokenCount ?? 0,
    };
  }
  const candidate = chunk.candidates?.[0];
  if (candidate?.finishReason) collected.finishReason = candidate.finishReason;
  if (candidate?.continuationToken) collected.continuationToken = candidate.continuationToken;
  let text = '';
  for (const part of candidate?.content?.parts ?? []) {
    addPart(collected.parts, part);
    if (part.thought !== true) text += part.text ?? '';
  }
  return text;
}

/** Joins a text to the one before, so that a streamed answer is replayed as one; signed parts are left as they came. */
function addPart(parts: Part[], part: Part): void {
  const before = parts.at(-1);
  const plain = (candidate: Part) => candidate.text !== undefined && candidate.thoughtSignature === undefined;
  if (plain(part) && part.text === '') return;
  if (before && plain(before) && plain(part) && before.thought === part.thought) {
    parts[parts.length - 1] = { ...before, text: `${before.text}${part.text}` };
  } else {
    parts.push(part);
  }
}

/** The answer that was collected, or why it is none. */
export function answerOf(
  collected: Collected,
  raw: RawAnswer,
  request: ModelRequest,
  origin: Origin,
): Attempt<ModelAnswer> {
  const { parts, finishReason, blockReason } = collected;
  if (blockReason !== undefined) return failed(`the prompt was blocked (${blockReason})`);
  if (finishReason === undefined) return parts.length > 0 ? brokenOff() : failed('no candidates in response');
  const text = parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join('');
  const nameOf = createToolNameReader(request.tools);
  const argued = parts.flatMap(({ functionCall }) => (isObject(functionCall?.args) ? [functionCall.args] : []));
  const texts = raw.textsOf(argued, argumentSteps);
  if (texts === undefined) return failed(argumentsNotFound);
  const textOf = new Map(argued.map((args, at) => [args, texts[at]]));
  const calls = parts.flatMap(({ functionCall }) => {
    if (!functionCall?.name) return [];
    const { id, name, args } = functionCall;
    const argumentsJson = isObject(args) ? (textOf.get(args) ?? '{}') : JSON.stringify(args ?? {});
    return [{ providerCallId: id ?? '', name: nameOf(name), argumentsJson }];
  });
  if (!blamelessEnds.includes(finishReason)) return failed(`the model stopped its answer (${finishReason})`);
  if (finishReason === 'MAX_TOKENS' && calls.length > 0)
    return failed('the answer was cut off in a tool call (MAX_TOKENS)');
  const isSilent = text.trim() === '' && calls.length === 0;
  const wasCutOff = finishReason === 'MAX_TOKENS';
  if (isSilent && (request.mayBeSilent !== true || wasCutOff)) return emptyAnswer(finishReason, wasCutOff);
  const opaque = parts.some(cannotBeRebuilt) ? { opaque: encodeOpaque(origin, parts) } : {};
  const all = (of: (usage: AnswerUsage) => number | undefined) =>
    collected.usage.reduce((sum, one) => sum + (of(one) ?? 0), 0);
  const usage = {
    inputTokens: all((one) => one.inputTokens),
    outputTokens: all((one) => one.outputTokens),
    cachedTokens: all((one) => one.cachedTokens),
    reasoningTokens: all((one) => one.reasoningTokens),
  };
  const value = { text: isSilent ? '' : text, calls, provider: 'gemini', model: request.model, ...opaque, usage };
  return { kind: 'done', value: { ...value, stopReason: finishReason } };
}

function cannotBeRebuilt(part: Part): boolean {
  return part.thoughtSignature !== undefined || (part.text === undefined && part.functionCall === undefined);
}
