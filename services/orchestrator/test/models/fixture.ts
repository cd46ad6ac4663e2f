import { setTimeout as delay } from 'node:timers/promises';
import { type OfflineModel, startOfflineModel } from '@stopgo/offline-model';
import {
  createModels,
  type ModelAnswer,
  type ModelMessage,
  type ModelOutcome,
  type ModelRequest,
  type ModelTool,
  type RetryTime,
} from '../../src/models/index.ts';

export const GEMINI_KEY = 'gm-secret-K3y/with+odd=signs&more';
export const ANTHROPIC_KEY = 'ak-secret-K3y/with+odd=signs&more';
/** The key of each provider that speaks OpenAI's chat completions. */
export const KEYS = {
  openai: 'oa-secret-K3y/with+odd=signs&more',
  mistral: 'mi-secret-K3y/with+odd=signs&more',
  groq: 'gq-secret-K3y/with+odd=signs&more',
  openrouter: 'or-secret-K3y/with+odd=signs&more',
};
/** Long enough never to strike in a test that does not wait for it. */
const TIMEOUT_MS = 15_000;

export type Recorded = { url: string; headers: Record<string, string>; body: Record<string, unknown> };

/** The offline model with its control endpoints, and models that talk to it as if it were the real thing. */
export async function startFixture() {
  const server: OfflineModel = await startOfflineModel({ control: true, strictSignatures: true });
  const control = (method: string, path: string, body?: unknown) =>
    fetch(server.url + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  let since = 0;
  return {
    url: server.url,
    stop: server.stop,
    script: async (...steps: object[]) => {
      const answer = await control('POST', '/__script', steps);
      if (!answer.ok) throw new Error(await answer.text());
    },
    /** Forgets scripts and the requests so far. */
    reset: async () => {
      await control('DELETE', '/__script');
      since += (await requests()).length;
    },
    requests,
    models: (options: { modelTimeoutMs?: number; clock?: RetryTime; env?: Record<string, string> } = {}) =>
      createModels({
        env: { ...environmentOf(server.url), ...options.env },
        modelTimeoutMs: options.modelTimeoutMs ?? TIMEOUT_MS,
        clock: options.clock ?? impatientClock().clock,
      }),
  };

  async function requests(): Promise<Recorded[]> {
    const answer = await control('GET', `/__requests?since=${since}`);
    return ((await answer.json()) as { requests: Recorded[] }).requests;
  }
}

/** The environment of models that all are at this address. */
export function environmentOf(url: string): Record<string, string> {
  const openai = Object.entries(KEYS).map(([provider, key]) => [`${provider.toUpperCase()}_API_KEY`, key]);
  const urls = ['OPENAI', 'MISTRAL', 'GROQ', 'OPENROUTER', 'OLLAMA'].map((name) => [`${name}_BASE_URL`, `${url}/v1`]);
  return {
    GEMINI_API_KEY: GEMINI_KEY,
    ANTHROPIC_API_KEY: ANTHROPIC_KEY,
    GEMINI_BASE_URL: url,
    ANTHROPIC_BASE_URL: url,
    ...Object.fromEntries([...openai, ...urls]),
  };
}

/** A clock that notes the waits between attempts and does not wait them; only time limits are real. */
export function impatientClock(timeoutMs = TIMEOUT_MS): { clock: RetryTime; waits: number[] } {
  const waits: number[] = [];
  const clock: RetryTime = {
    monotonic: () => performance.now(),
    sleep: async (ms, signal) => {
      if (ms === timeoutMs) return delay(ms, undefined, { signal }).catch(() => undefined);
      waits.push(ms);
    },
    random: () => 1,
  };
  return { clock, waits };
}

export const NEVER = new AbortController().signal;

export function tool(name: string, schema: object = { type: 'object', properties: {} }): ModelTool {
  return { name, description: `The tool ${name}`, inputSchemaJson: JSON.stringify(schema) };
}

export const RESOURCES_ADD = tool('resources_add', {
  type: 'object',
  properties: { name: { type: 'string' }, value: { type: 'integer' } },
  required: ['name', 'value'],
});

export function ask(model: string, ...messages: (string | ModelMessage)[]): ModelRequest {
  return {
    model,
    system: 'You are a test.',
    tools: [RESOURCES_ADD, tool('resources_list')],
    messages: messages.map((message) => (typeof message === 'string' ? { role: 'user', text: message } : message)),
  };
}

/** The answer of an outcome that must be one. */
export function answerOf(outcome: ModelOutcome): ModelAnswer {
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome.answer;
}

/** The answer as the driver records it in the transcript. */
export function recorded(answer: ModelAnswer, step = 1): Extract<ModelMessage, { role: 'assistant' }> {
  return {
    role: 'assistant',
    text: answer.text,
    calls: answer.calls.map((call, index) => ({ ...call, callId: `root#model.${step}#call.${index}` })),
    provider: answer.provider,
    ...(answer.opaque ? { opaque: answer.opaque } : {}),
  };
}

/** The results of a recorded answer's calls. */
export function resultsFor(
  message: Extract<ModelMessage, { role: 'assistant' }>,
  content: (index: number) => string,
): ModelMessage {
  return {
    role: 'tool',
    results: message.calls.map(({ argumentsJson: _, ...call }, index) => ({
      ...call,
      content: content(index),
      isError: false,
    })),
  };
}
