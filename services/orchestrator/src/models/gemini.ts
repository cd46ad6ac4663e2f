import type { GoogleGenAI } from '@google/genai';
import { requestBlobsMax } from '../bounds.ts';
import { type AdapterOptions, createPort, type GenerateOnce } from './adapter.ts';
import { brokenOff, failed, failedWith, failedWithStatus, unreadable } from './failure.ts';
import { answerOf, collect, continuationOf, nothingCollected } from './gemini-answer.ts';
import { geminiContents, geminiTakes, geminiTools } from './gemini-request.ts';
import { isObject, parseObject } from './json.ts';
import type { ModelAnswer, ModelPort } from './port.ts';
import { RawAnswer } from './raw-answer.ts';
import { type Attempt, retryAfterMs } from './retry.ts';

const errorPrefix = 'Gemini API error';
/** How many requests one answer may take if the provider gives it in instalments. */
const instalmentsMax = 16;

/** Loads the SDK. It is large, so this happens at the first call or in a warm-up, not at import. */
export const loadGeminiSdk = () => import('@google/genai');

/** Gemini's models behind the port, through `generateContentStream` of the Google SDK. */
export function createGemini(options: AdapterOptions): ModelPort {
  let client: Promise<GoogleGenAI> | undefined;
  const generateOnce: GenerateOnce = async (request, signal, emit) => {
    client ??= createClient(options);
    const collected = nothingCollected();
    const raw = new RawAnswer();
    let retryAfter: number | undefined;
    const contents = geminiContents(request.messages, request.model, options.origin);
    if (contents.length === 0) return failed('there is no message to answer');
    const functionDeclarations = geminiTools(request.tools);
    try {
      const config = {
        // On its own the SDK would also reconnect; retries are ours to count and to limit.
        automaticContinuation: false,
        ...(request.system.trim() === '' ? {} : { systemInstruction: request.system }),
        ...(request.answerTokensMax === undefined ? {} : { maxOutputTokens: request.answerTokensMax }),
        ...(functionDeclarations.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
        httpOptions: {
          // The SDK's error does not keep the headers, so Retry-After is noted here. The signal goes past the SDK: it would
          // make another one of it, with an exception and its stack for every call that is over.
          fetch: async (url: string | URL | Request, init?: RequestInit) => {
            const response = await options.fetch(url, { ...init, signal, onBytes: raw.body() });
            retryAfter = retryAfterMs(response.headers.get('retry-after'));
            return response;
          },
        },
      };
      const { models } = await client;
      let token: string | undefined;
      for (let instalment = 0; instalment < instalmentsMax; instalment += 1) {
        const stream = await models.generateContentStream({
          model: request.model,
          contents,
          config: token === undefined ? config : { ...config, continuationToken: token },
        });
        for await (const chunk of stream) emit(collect(collected, chunk, instalment));
        token = continuationOf(collected);
        if (token === undefined) break;
      }
    } catch (error) {
      return failureOf(error, retryAfter, collected.chunks > 0);
    }
    return answerOf(collected, raw, request, options.origin);
  };
  return createPort(
    {
      errorPrefix: () => errorPrefix,
      takes: (_, mediaType) => geminiTakes(mediaType),
      mediaMax: requestBlobsMax,
    },
    options,
    generateOnce,
  );
}

async function createClient({ apiKey, baseUrl }: AdapterOptions): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await loadGeminiSdk();
  // Everything the SDK would otherwise look up in the environment of the process is given here.
  return new GoogleGenAI({ apiKey, vertexai: false, httpOptions: { baseUrl } });
}

function failureOf(error: unknown, retryAfter: number | undefined, begun: boolean): Attempt<ModelAnswer> {
  if (error instanceof Error && error.name === 'ApiError' && 'status' in error && typeof error.status === 'number') {
    // The SDK's message is the body of the answer, with or without words before it.
    const body = parseObject(error.message.slice(Math.max(0, error.message.indexOf('{'))))?.error;
    const message = isObject(body) && typeof body.message === 'string' ? body.message : error.message;
    return failedWithStatus(error.status, message, retryAfter ?? retryInfoMs(body));
  }
  // Said by the SDK when a stream ends inside an event.
  if (error instanceof Error && error.message.startsWith('Incomplete JSON segment')) {
    return begun ? brokenOff() : unreadable('it is not a stream of Gemini');
  }
  return failedWith(error);
}

/** Google also says in the error's details when to come back, as `"retryDelay": "17s"`. */
function retryInfoMs(error: unknown): number | undefined {
  const details = isObject(error) && Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const delay = details.map((detail) => detail.retryDelay).find((value) => typeof value === 'string');
  return delay === undefined ? undefined : retryAfterMs(delay.replace(/s$/, ''));
}
