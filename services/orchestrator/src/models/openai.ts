import type { OpenAI } from 'openai';
import { type AdapterOptions, createPort, type GenerateOnce } from './adapter.ts';
import { failed, failedWith, failedWithStatus } from './failure.ts';
import { isObject } from './json.ts';
import { answerOf, collect, nothingCollected } from './openai-answer.ts';
import type { Dialect } from './openai-dialects.ts';
import { createOpenaiFetch, messageOf } from './openai-fetch.ts';
import { openaiTakes } from './openai-media.ts';
import { openaiMessages, openaiTools } from './openai-request.ts';
import type { ModelAnswer, ModelPort } from './port.ts';
import { RawAnswer } from './raw-answer.ts';
import { type Attempt, retryAfterMs } from './retry.ts';

// An error inside a stream has a type but often no status.
const statusOfType: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  server_error: 500,
  internal_server_error: 500,
  service_unavailable: 503,
};
const statusMin = 400;
const statusMax = 599;

/** Loads the SDK. It is large, so this happens at the first call or in a warm-up, not at import. */
export const loadOpenaiSdk = () => import('openai');

/** The models of a provider that speaks OpenAI's chat completions behind the port, streamed, through the OpenAI SDK. */
export function createOpenai(dialect: Dialect, options: AdapterOptions): ModelPort {
  const { provider, asksForUsage, limitField } = dialect;
  let client: Promise<OpenAI> | undefined;
  const generateOnce: GenerateOnce = async (request, signal, emit) => {
    client ??= createClient(dialect, options);
    const messages = openaiMessages(request.messages, { ...request, dialect, origin: options.origin });
    if (messages.length === 0) return failed('there is no message to answer');
    const tools = openaiTools(request.tools);
    const collected = nothingCollected();
    const raw = new RawAnswer();
    try {
      const stream = await (await client).chat.completions.create(
        {
          model: request.model,
          messages,
          stream: true,
          ...(asksForUsage ? { stream_options: { include_usage: true } } : {}),
          ...(request.answerTokensMax === undefined ? {} : { [limitField]: request.answerTokensMax }),
          // An empty list is refused.
          ...(tools.length === 0 ? {} : { tools }),
        },
        // What the SDK does not know it hands on to our fetch.
        { signal, fetchOptions: { onBytes: raw.body() } as object },
      );
      for await (const chunk of stream) emit(collect(collected, chunk));
    } catch (error) {
      return failureOf(error);
    }
    return answerOf(collected, raw, request, dialect, options.origin);
  };
  const errorPrefix = (status: number | undefined) =>
    `${provider} API error${status === undefined ? '' : ` (${status})`}`;
  return createPort({ errorPrefix, takes: openaiTakes(dialect), mediaMax: dialect.mediaMax }, options, generateOnce);
}

async function createClient(dialect: Dialect, { apiKey, baseUrl, timeoutMs, fetch }: AdapterOptions): Promise<OpenAI> {
  const { OpenAI } = await loadOpenaiSdk();
  return new OpenAI({
    apiKey,
    baseURL: baseUrl,
    // Everything the SDK would otherwise look up in the environment of the process is given here.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    fetch: createOpenaiFetch(fetch, {
      accept: 'text/event-stream, application/json',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...dialect.headers,
    }),
    // Our own limit strikes first; the SDK's is only kept from being the shorter one.
    timeout: timeoutMs * 2,
    // The SDK logs what it cannot parse, and with it whatever a provider quoted.
    logLevel: 'off',
  });
}

/** The SDK's errors are told apart by their shape, so that the SDK need not be loaded for it. */
function failureOf(error: unknown): Attempt<ModelAnswer> {
  if (!(error instanceof Error) || !('status' in error) || !('error' in error)) return failedWith(error);
  const { headers } = error as { headers?: unknown };
  const status = typeof error.status === 'number' ? error.status : statusOf(error.error);
  const message = messageOf(JSON.stringify({ error: error.error ?? error.message }));
  if (status !== undefined)
    return failedWithStatus(status, message, headers instanceof Headers ? waitOf(headers) : undefined);
  // The SDK keeps no cause of a connection whose error speaks of a time-out.
  if (error.constructor.name === 'APIConnectionTimeoutError')
    return failedWith(new TypeError('fetch failed', { cause: new Error('no answer in time') }));
  return error.error === undefined ? failedWith(error) : failed(message);
}

/** The status that an error inside a stream names, as a number or by its type. */
function statusOf(error: unknown): number | undefined {
  if (!isObject(error)) return undefined;
  for (const value of [error.code, error.status_code, error.status, error.type]) {
    const status = typeof value === 'string' ? (statusOfType[value] ?? Number(value)) : value;
    if (typeof status === 'number' && status >= statusMin && status <= statusMax) return status;
  }
  return undefined;
}

function waitOf(headers: Headers): number | undefined {
  const ms = retryAfterMs(headers.get('retry-after-ms'));
  return ms === undefined ? retryAfterMs(headers.get('retry-after')) : ms / 1000;
}
