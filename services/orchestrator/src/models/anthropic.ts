import type { Anthropic } from '@anthropic-ai/sdk';
import type { AnswerUsage } from '@stopgo/core';
import { requestBlobsMax } from '../bounds.ts';
import { type AdapterOptions, createPort, type GenerateOnce } from './adapter.ts';
import { anthropicMessages, anthropicTakes, anthropicTools } from './anthropic-request.ts';
import { brokenOff, emptyAnswer, failed, failedWith, failedWithStatus, unreadable } from './failure.ts';
import { isObject, parseObject } from './json.ts';
import { encodeOpaque, type Origin } from './opaque.ts';
import type { ModelAnswer, ModelPort, ModelRequest } from './port.ts';
import { argumentsNotFound, RawAnswer } from './raw-answer.ts';
import { type Attempt, retryAfterMs } from './retry.ts';
import { createToolNameReader } from './tool-names.ts';

/** The longest answer that is asked for, in tokens. The API insists on a limit, and every current model takes this one. */
export const answerTokensMax = 8192;

const errorPrefix = 'Claude API error';
/** Where a block's whole input stands in an event, if it does not come in pieces of text; the SDK parses it. */
const wholeInput = ['content_block', 'input'];
const cutOff = ['max_tokens', 'model_context_window_exceeded'];
// An error inside a stream has a type but no status.
const statusOfType: Readonly<Record<string, number>> = {
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Loads the SDK. This happens at the first call or in a warm-up, not at import. */
export const loadAnthropicSdk = () => import('@anthropic-ai/sdk');

/** Claude's models behind the port, through streamed `messages.create` of the Anthropic SDK. */
export function createAnthropic(options: AdapterOptions): ModelPort {
  let client: Promise<Anthropic> | undefined;
  const generateOnce: GenerateOnce = async (request, signal, emit) => {
    client ??= createClient(options);
    const collected: Collected = {
      blocks: [],
      wholeInputs: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      begun: false,
      complete: false,
    };
    const raw = new RawAnswer();
    const messages = anthropicMessages(request.messages, options.origin);
    if (messages.length === 0) return failed('there is no message to answer');
    const tools = anthropicTools(request.tools);
    try {
      const stream = await (await client).messages.create(
        {
          model: request.model,
          max_tokens: Math.min(request.answerTokensMax ?? answerTokensMax, answerTokensMax),
          messages,
          stream: true,
          ...(request.system.trim() === '' ? {} : { system: request.system }),
          ...(tools.length === 0 ? {} : { tools }),
        },
        // What the SDK does not know it hands on to our fetch.
        { signal, fetchOptions: { onBytes: raw.body() } as object },
      );
      for await (const event of stream) emit(collect(collected, event));
    } catch (error) {
      return failureOf(error);
    }
    return answerOf(collected, raw, request, options.origin);
  };
  return createPort(
    {
      errorPrefix: () => errorPrefix,
      takes: (_, mediaType, bytes) => anthropicTakes(mediaType, bytes),
      mediaMax: requestBlobsMax,
    },
    options,
    generateOnce,
  );
}

async function createClient({ apiKey, baseUrl, timeoutMs, fetch }: AdapterOptions): Promise<Anthropic> {
  const { Anthropic } = await loadAnthropicSdk();
  return new Anthropic({
    apiKey,
    // Since version 1 the SDK sends the key as a bearer token. The API documents `x-api-key`, and proxies look for that.
    defaultHeaders: { 'x-api-key': apiKey, authorization: null },
    baseURL: baseUrl,
    webhookKey: null,
    maxRetries: 0,
    fetch,
    // Our own limit strikes first; the SDK's is only kept from being the shorter one.
    timeout: timeoutMs * 2,
    // The SDK logs what it cannot parse, and with it whatever a provider quoted.
    logLevel: 'off',
    openTelemetry: false,
  });
}

type CollectedBlock = { block: Record<string, unknown>; inputJson: string };
type Collected = {
  blocks: CollectedBlock[];
  /** Inputs that came whole, in the order of their events. */
  wholeInputs: Record<string, unknown>[];
  usage: AnswerUsage;
  begun: boolean;
  complete: boolean;
  stopReason?: string;
  explanation?: string;
};

/** Adds an event to what was collected; gives back the visible text it brought. */
function collect(collected: Collected, event: Anthropic.RawMessageStreamEvent): string {
  switch (event.type) {
    case 'message_start':
      collected.begun = true;
      collected.usage = usageOf(event.message.usage);
      return '';
    case 'content_block_start':
      collected.blocks[event.index] = { block: { ...event.content_block }, inputJson: '' };
      if ('input' in event.content_block && isObject(event.content_block.input))
        collected.wholeInputs.push(event.content_block.input);
      return event.content_block.type === 'text' ? event.content_block.text : '';
    case 'content_block_delta':
      return addDelta(collected.blocks[event.index], event.delta);
    case 'message_delta':
      if (event.delta.stop_reason !== null) collected.stopReason = event.delta.stop_reason;
      if (event.delta.stop_details?.explanation) collected.explanation = event.delta.stop_details.explanation;
      collected.usage = { ...collected.usage, outputTokens: event.usage.output_tokens };
      return '';
    case 'message_stop':
      collected.complete = true;
      return '';
    default:
      // Blocks need no closing, and kinds of events that are new bring nothing we could show.
      return '';
  }
}

function addDelta(collected: CollectedBlock | undefined, delta: Anthropic.RawContentBlockDelta): string {
  if (!collected) return '';
  const { block } = collected;
  switch (delta.type) {
    case 'text_delta':
      block.text = `${block.text ?? ''}${delta.text}`;
      return delta.text;
    case 'thinking_delta':
      block.thinking = `${block.thinking ?? ''}${delta.thinking}`;
      return '';
    case 'signature_delta':
      block.signature = delta.signature;
      return '';
    case 'input_json_delta':
      collected.inputJson += delta.partial_json;
      return '';
    default:
      return '';
  }
}

/** The API counts what the cache holds beside the input. */
function usageOf(usage: Anthropic.Usage): AnswerUsage {
  const cacheWrittenTokens = usage.cache_creation_input_tokens ?? 0;
  const cachedTokens = usage.cache_read_input_tokens ?? 0;
  const inputTokens = usage.input_tokens + cacheWrittenTokens + cachedTokens;
  return { inputTokens, outputTokens: usage.output_tokens, cachedTokens, cacheWrittenTokens };
}

function answerOf(collected: Collected, raw: RawAnswer, request: ModelRequest, origin: Origin): Attempt<ModelAnswer> {
  const { stopReason = 'end_turn', explanation } = collected;
  if (!collected.begun) return unreadable('it is not a stream of the Messages API');
  if (!collected.complete) return brokenOff();
  if (stopReason === 'refusal') return failed(`the model refused to answer${explanation ? ` (${explanation})` : ''}`);
  const blocks = collected.blocks.filter(Boolean);
  const nameOf = createToolNameReader(request.tools);
  const wholeInputs = raw.textsOf(collected.wholeInputs, wholeInput);
  if (wholeInputs === undefined) return failed(argumentsNotFound);
  const wholeInputOf = new Map(collected.wholeInputs.map((input, at) => [input, wholeInputs[at]]));
  const calls: ModelAnswer['calls'][number][] = [];
  for (const { block, inputJson } of blocks) {
    if (block.type !== 'tool_use') continue;
    // Cut-off arguments may happen to be valid JSON, and would then do something that nobody asked for.
    if (cutOff.includes(stopReason)) return failed(`the answer was cut off in a tool call (${stopReason})`);
    const whole = isObject(block.input) ? wholeInputOf.get(block.input) : undefined;
    const argumentsJson = inputJson === '' ? (whole ?? JSON.stringify(block.input ?? {})) : inputJson;
    // What is no JSON object is handed on as it is: the call is refused, and the model is told. The API refuses it in a history.
    block.input = parseObject(argumentsJson) ?? {};
    calls.push({ providerCallId: String(block.id), name: nameOf(String(block.name)), argumentsJson });
  }
  const text = blocks.map(({ block }) => (block.type === 'text' ? String(block.text ?? '') : '')).join('');
  const isSilent = text.trim() === '' && calls.length === 0;
  const wasCutOff = cutOff.includes(stopReason);
  if (isSilent && (request.mayBeSilent !== true || wasCutOff)) return emptyAnswer(stopReason, wasCutOff);
  const content = blocks.map(({ block }) => block).filter((block) => block.type !== 'text' || block.text !== '');
  const opaque = content.some(cannotBeRebuilt) ? { opaque: encodeOpaque(origin, content) } : {};
  const { usage } = collected;
  const value = { text: isSilent ? '' : text, calls, provider: 'anthropic', model: request.model, ...opaque, usage };
  return { kind: 'done', value: { ...value, stopReason } };
}

function cannotBeRebuilt(block: Record<string, unknown>): boolean {
  return block.type !== 'text' && block.type !== 'tool_use';
}

/** The SDK's errors are told apart by their shape, so that the SDK need not be loaded for it. */
function failureOf(error: unknown): Attempt<ModelAnswer> {
  if (!(error instanceof Error) || !('status' in error) || !('error' in error)) return failedWith(error);
  const type = 'type' in error && typeof error.type === 'string' ? error.type : '';
  const status =
    typeof error.status === 'number'
      ? error.status
      : Object.hasOwn(statusOfType, type)
        ? statusOfType[type]
        : undefined;
  const body = isObject(error.error) ? error.error.error : undefined;
  const message = isObject(body) && typeof body.message === 'string' ? body.message : error.message;
  if (status !== undefined) {
    const after = 'headers' in error && error.headers instanceof Headers ? error.headers.get('retry-after') : null;
    return failedWithStatus(status, message, retryAfterMs(after));
  }
  return body === undefined ? failedWith(error) : failed(message);
}
