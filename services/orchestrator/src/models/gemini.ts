import type { GenerateContentResponse, GoogleGenAI, Part } from '@google/genai';
import { type AdapterOptions, createPort, type GenerateOnce } from './adapter.ts';
import { brokenOff, failed, failedWith, failedWithStatus } from './failure.ts';
import { geminiContents, geminiTools } from './gemini-request.ts';
import { isObject, parseObject } from './json.ts';
import { encodeOpaque, type Origin } from './opaque.ts';
import type { ModelAnswer, ModelPort, ModelRequest } from './port.ts';
import { type Attempt, retryAfterMs } from './retry.ts';
import { createToolNameReader } from './tool-names.ts';

const ERROR_PREFIX = 'Gemini API error';
const BLAMELESS_ENDS = ['STOP', 'MAX_TOKENS'];

/** Loads the SDK. It is large, so this happens at the first call or in a warm-up, not at import. */
export const loadGeminiSdk = () => import('@google/genai');

/** Gemini's models behind the port, through `generateContentStream` of the Google SDK. */
export function createGemini(options: AdapterOptions): ModelPort {
  let client: Promise<GoogleGenAI> | undefined;
  const generateOnce: GenerateOnce = async (request, signal, emit) => {
    client ??= createClient(options);
    const collected: Collected = { parts: [], inputTokens: 0, outputTokens: 0, chunks: 0 };
    let retryAfter: number | undefined;
    try {
      const contents = geminiContents(request.messages, request.model, options.origin);
      if (contents.length === 0) return failed('there is no message to answer');
      const functionDeclarations = geminiTools(request.tools);
      const stream = await (await client).models.generateContentStream({
        model: request.model,
        contents,
        config: {
          abortSignal: signal,
          // The SDK would reconnect and continue on its own; retries are ours to count and to limit.
          automaticContinuation: false,
          ...(request.system.trim() === '' ? {} : { systemInstruction: request.system }),
          ...(functionDeclarations.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
          httpOptions: {
            // The SDK's error does not keep the headers, so Retry-After is noted here.
            fetch: async (...args: Parameters<typeof fetch>) => {
              const response = await fetch(...args);
              retryAfter = retryAfterMs(response.headers.get('retry-after'));
              return response;
            },
          },
        },
      });
      for await (const chunk of stream) emit(collect(collected, chunk));
    } catch (error) {
      return failureOf(error, retryAfter, collected.chunks > 0);
    }
    return answerOf(collected, request, options.origin);
  };
  return createPort(ERROR_PREFIX, options, generateOnce);
}

async function createClient({ apiKey, baseUrl }: AdapterOptions): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await loadGeminiSdk();
  // Everything the SDK would otherwise look up in the environment of the process is given here.
  return new GoogleGenAI({ apiKey, vertexai: false, httpOptions: { baseUrl } });
}

type Collected = {
  parts: Part[];
  inputTokens: number;
  outputTokens: number;
  chunks: number;
  finishReason?: string;
  blockReason?: string;
};

/** Adds a chunk to what was collected; gives back the visible text it brought. */
function collect(collected: Collected, chunk: GenerateContentResponse): string {
  collected.chunks += 1;
  const { usageMetadata: usage, promptFeedback } = chunk;
  if (promptFeedback?.blockReason) collected.blockReason = promptFeedback.blockReason;
  if (usage) {
    collected.inputTokens = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
    collected.outputTokens = (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0);
  }
  const candidate = chunk.candidates?.[0];
  if (candidate?.finishReason) collected.finishReason = candidate.finishReason;
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

function answerOf(collected: Collected, request: ModelRequest, origin: Origin): Attempt<ModelAnswer> {
  const { parts, finishReason, blockReason } = collected;
  if (blockReason !== undefined) return failed(`the prompt was blocked (${blockReason})`);
  if (finishReason === undefined) return parts.length > 0 ? brokenOff() : failed('no candidates in response');
  const text = parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join('');
  const nameOf = createToolNameReader(request.tools);
  const calls = parts.flatMap(({ functionCall }) => {
    if (!functionCall?.name) return [];
    const { id, name, args } = functionCall;
    return [{ providerCallId: id ?? '', name: nameOf(name), argumentsJson: JSON.stringify(args ?? {}) }];
  });
  if (!BLAMELESS_ENDS.includes(finishReason)) return failed(`the model stopped its answer (${finishReason})`);
  if (finishReason === 'MAX_TOKENS' && calls.length > 0)
    return failed('the answer was cut off in a tool call (MAX_TOKENS)');
  if (text.trim() === '' && calls.length === 0) return failed(`the model gave an empty answer (${finishReason})`);
  const opaque = parts.some(cannotBeRebuilt) ? { opaque: encodeOpaque(origin, parts) } : {};
  const usage = { inputTokens: collected.inputTokens, outputTokens: collected.outputTokens };
  const value = { text, calls, provider: 'gemini', model: request.model, ...opaque, usage, stopReason: finishReason };
  return { kind: 'done', value };
}

function cannotBeRebuilt(part: Part): boolean {
  return part.thoughtSignature !== undefined || (part.text === undefined && part.functionCall === undefined);
}

function failureOf(error: unknown, retryAfter: number | undefined, begun: boolean): Attempt<ModelAnswer> {
  if (error instanceof Error && error.name === 'ApiError' && 'status' in error && typeof error.status === 'number') {
    // The SDK's message is the body of the answer, with or without words before it.
    const body = parseObject(error.message.slice(Math.max(0, error.message.indexOf('{'))))?.error;
    const message = isObject(body) && typeof body.message === 'string' ? body.message : error.message;
    return failedWithStatus(error.status, message, retryAfter ?? retryInfoMs(body));
  }
  // Said by the SDK when a stream ends inside an event.
  const incomplete = error instanceof Error && error.message.startsWith('Incomplete JSON segment');
  return incomplete && begun ? brokenOff() : failedWith(error);
}

/** Google also says in the error's details when to come back, as `"retryDelay": "17s"`. */
function retryInfoMs(error: unknown): number | undefined {
  const details = isObject(error) && Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const delay = details.map((detail) => detail.retryDelay).find((value) => typeof value === 'string');
  return delay === undefined ? undefined : retryAfterMs(delay.replace(/s$/, ''));
}
