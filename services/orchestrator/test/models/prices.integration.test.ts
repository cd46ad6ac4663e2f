import type { PriceTable } from '@stopgo/runtime';
import { describe, expect, test } from 'vitest';
import { createModels, type ModelsOptions } from '../../src/models/index.ts';
import { createCostOf } from '../../src/models/prices.ts';
import { answerOf, ask, environmentOf, NEVER, startFixture } from './fixture.ts';
import { generateFrom, sse } from './raw-server.ts';

const openai = (usage: object): string =>
  `${[{ choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] }, { choices: [], usage }]
    .map((chunk) => sse(chunk))
    .join('')}data: [DONE]\n\n`;
const claude = (usage: object): string =>
  [
    { type: 'message_start', message: { content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'ok' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
    .map((event) => sse(event, event.type))
    .join('');
const gemini = (usageMetadata: object): string =>
  sse({ candidates: [{ content: { parts: [{ text: 'ok' }] }, finishReason: 'STOP' }], usageMetadata });

const thousand = { prompt_tokens: 1_000, completion_tokens: 100 };

async function usageFrom(body: string, model: string, options: Partial<ModelsOptions> = {}) {
  return answerOf(await generateFrom(body, model, ask(model, 'hi'), options)).usage;
}

describe('the cost of an answer, as its provider bills it', () => {
  test('OpenAI: what came from the cache is cheaper, and thoughts are output', async () => {
    const details = {
      prompt_tokens_details: { cached_tokens: 500 },
      completion_tokens_details: { reasoning_tokens: 60 },
    };
    expect(await usageFrom(openai({ ...thousand, ...details }), 'openai:gpt-5')).toEqual({
      ...{ inputTokens: 1_000, outputTokens: 100, cachedTokens: 500, reasoningTokens: 60 },
      // 500 at $1.25, 500 at $0.125 and 100 at $10 for a million.
      costNanoUsd: 1_687_500,
    });
  });

  test('Anthropic: the cache is counted beside the input, and writing to it costs more', async () => {
    const usage = {
      input_tokens: 100,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 300,
      output_tokens: 1,
    };
    expect(await usageFrom(claude(usage), 'claude-sonnet-4-5')).toEqual({
      ...{ inputTokens: 600, outputTokens: 5, cachedTokens: 300, cacheWrittenTokens: 200 },
      // 100 at $3, 200 at $3.75, 300 at $0.30 and 5 at $15.
      costNanoUsd: 1_215_000,
    });
  });

  test('Gemini: thoughts are counted beside the output', async () => {
    const usage = {
      ...{ promptTokenCount: 1_000, cachedContentTokenCount: 400 },
      ...{ candidatesTokenCount: 10, thoughtsTokenCount: 20 },
    };
    expect(await usageFrom(gemini(usage), 'gemini-2.5-flash')).toMatchObject({
      ...{ inputTokens: 1_000, outputTokens: 30, cachedTokens: 400, reasoningTokens: 20 },
      // 600 at $0.30, 400 at $0.03 and 30 at $2.50.
      costNanoUsd: 267_000,
    });
  });

  test('a table of one’s own wins, by provider and model before the model alone', async () => {
    const prices = {
      'gpt-5': { input: 1, output: 1 },
      'openai/gpt-5': { input: 0.000_001, output: 0.000_002, cached: 0, reasoning: 0.000_1 },
      'mistral/x': { input: 0.000_001, output: 0 },
    };
    const body = openai({ ...thousand, completion_tokens_details: { reasoning_tokens: 10 } });
    expect(await usageFrom(body, 'openai:gpt-5', { prices })).toMatchObject({
      costNanoUsd: 1_000_000 + 90_000 * 2 + 1_000_000,
    });
    expect(await usageFrom(openai(thousand), 'mistral:x', { prices })).toMatchObject({ costNanoUsd: 1_000_000 });
    expect(await usageFrom(openai(thousand), 'openrouter:gpt-5', { prices })).toMatchObject({
      costNanoUsd: 1_100 * 1_000_000_000,
    });
  });

  test('a model without a known price has no cost, which is said once', async () => {
    const told: string[] = [];
    const models = await startFixture();
    try {
      const port = createModels({ env: environmentOf(models.url), onUnpriced: (name) => told.push(name) });
      for (const model of ['ollama:qwen3:8b', 'openai:none-such', 'ollama:qwen3:8b']) {
        const { usage } = answerOf(await port.forModel(model).generate(ask(model, 'hi'), { signal: NEVER }));
        expect(usage.inputTokens).toBeGreaterThan(0);
        expect(usage).not.toHaveProperty('costNanoUsd');
      }
    } finally {
      await models.stop();
    }
    expect(told).toEqual(['ollama/qwen3:8b', 'openai/none-such']);
  });

  test('the offline model has no price, and nothing is said of it', async () => {
    const told: string[] = [];
    const fixture = await startFixture();
    try {
      const models = createModels({ env: {}, offlineModel: fixture.url, onUnpriced: (name) => told.push(name) });
      const outcome = await models.forModel('gemini-2.5-flash').generate(ask('x', 'hi'), { signal: NEVER });
      expect(answerOf(outcome).usage).not.toHaveProperty('costNanoUsd');
    } finally {
      await fixture.stop();
    }
    expect(told).toEqual([]);
  });
});

describe('prices of a table', () => {
  const answered = { provider: 'openai', model: 'm', baseUrl: 'https://models.example.com/v1' } as const;
  const cost = (own: PriceTable, usage: object, where = {}) =>
    createCostOf(own, () => undefined)({ ...answered, ...where }, { inputTokens: 0, outputTokens: 0, ...usage });
  const price = { input: 2e-9, output: 3e-9 };

  test('are those of long inputs only beyond the border, for all tokens', async () => {
    const above = [
      { ...price, input: 4e-9, inputTokens: 100 },
      { ...price, input: 8e-9, inputTokens: 200 },
    ];
    const own = { m: { ...price, above } };
    expect(await Promise.all([100, 101, 201].map((inputTokens) => cost(own, { inputTokens })))).toEqual([
      200, 404, 1_608,
    ]);
  });

  test('count no part beyond its whole, whatever a provider says', async () => {
    const own = { m: { ...price, cached: 1e-9, cacheWritten: 5e-9, reasoning: 7e-9 } };
    expect(await cost(own, { inputTokens: 10, cachedTokens: 40, cacheWrittenTokens: 40 })).toBe(10);
    expect(await cost(own, { inputTokens: 10, cachedTokens: 4, cacheWrittenTokens: 40 })).toBe(4 + 30);
    expect(await cost(own, { outputTokens: 10, reasoningTokens: 99 })).toBe(70);
    // The bundled table refuses such an answer; it gets its price all the same.
    expect(await cost({}, { inputTokens: 10, cachedTokens: 40 }, { model: 'gpt-5' })).toBe(1_250);
  });

  test('without a part of their own for the cache or for thoughts are those of any token', async () => {
    expect(await cost({ m: price }, { inputTokens: 10, cachedTokens: 5, outputTokens: 4, reasoningTokens: 2 })).toBe(
      32,
    );
  });

  test('say nothing of an answer without usage', async () => expect(await cost({ m: price }, {})).toBeUndefined());

  test('are of the provider whose address it is, where the address is known', async () => {
    const at = (baseUrl: string) => cost({}, { inputTokens: 1_000_000 }, { model: 'deepseek-chat', baseUrl });
    expect(await at('https://api.openai.com/v1')).toBeUndefined();
    expect(await at('https://api.deepseek.com/v1')).toBeGreaterThan(0);
  });
});
