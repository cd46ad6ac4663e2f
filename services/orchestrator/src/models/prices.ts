import type { AnswerUsage } from '@stopgo/core';
import type { PriceTable } from '@stopgo/runtime';
import type { ProviderName } from './model-name.ts';

/** The model that answered, and where. `baseUrl`: the address of the provider; `endpoint`: its name in the configuration, if it has one there. */
export type Answered = {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl: string;
  readonly endpoint?: string;
};

/** What an answer costs in nano-dollars, a whole number; undefined if no price of its model is known. */
export type CostOf = (answered: Answered, usage: AnswerUsage) => Promise<number | undefined>;

/** What the bundled table calls the providers. */
const idsInTable: Readonly<Record<ProviderName, string>> = {
  gemini: 'google',
  anthropic: 'anthropic',
  openai: 'openai',
  mistral: 'mistral',
  groq: 'groq',
  openrouter: 'openrouter',
  ollama: 'ollama',
};

const nanosPerDollar = 1_000_000_000;

/** Loads the bundled table. It is large, so this happens in a warm-up or with the first answer, not at import. */
export const loadPrices = () => import('@pydantic/genai-prices');

/**
 * The prices of a table of one's own, and of the bundled one for models that are not in it. `onUnknown` is told once of each model
 * without a price.
 */
export function createCostOf(own: PriceTable, onUnknown: (model: string) => void): CostOf {
  const told = new Set<string>();
  return async (answered, given) => {
    const usage = consistent(given);
    // An answer without any usage is one of which nothing was told.
    const cost =
      usage.inputTokens + usage.outputTokens === 0
        ? undefined
        : (byOwnTable(own, answered, usage) ?? (await byBundledTable(answered, usage)));
    if (cost !== undefined) return Math.round(cost * nanosPerDollar);
    const name = `${answered.endpoint ?? answered.provider}/${answered.model}`;
    if (told.size < toldMax && !told.has(name)) {
      told.add(name);
      onUnknown(name);
    }
    return undefined;
  };
}

/** Names of models that are remembered. */
const toldMax = 1_000;

type Counted = Required<Omit<AnswerUsage, 'costNanoUsd'>>;

/** Parts that are together no more than what they are parts of, whatever a provider said. */
function consistent(usage: AnswerUsage): Counted {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWrittenTokens = 0, reasoningTokens = 0 } = usage;
  const cached = Math.min(cachedTokens, inputTokens);
  return {
    ...{ inputTokens, outputTokens, cachedTokens: cached },
    cacheWrittenTokens: Math.min(cacheWrittenTokens, inputTokens - cached),
    reasoningTokens: Math.min(reasoningTokens, outputTokens),
  };
}

function byOwnTable(
  own: PriceTable,
  { provider, model, endpoint = provider }: Answered,
  usage: Counted,
): number | undefined {
  const name = [`${endpoint}/${model}`, `${provider}/${model}`, model].find((one) => Object.hasOwn(own, one));
  const all = name === undefined ? undefined : own[name];
  if (all === undefined) return undefined;
  const prices = all.above?.findLast(({ inputTokens }) => usage.inputTokens > inputTokens) ?? all;
  const { input, output, cached = input, cacheWritten = input, reasoning = output } = prices;
  const { inputTokens, outputTokens, cachedTokens, cacheWrittenTokens, reasoningTokens } = usage;
  return (
    (inputTokens - cachedTokens - cacheWrittenTokens) * input +
    cachedTokens * cached +
    cacheWrittenTokens * cacheWritten +
    (outputTokens - reasoningTokens) * output +
    reasoningTokens * reasoning
  );
}

/** An address that the table knows decides: many providers speak the protocol of another one. */
async function byBundledTable({ provider, model, baseUrl }: Answered, usage: Counted): Promise<number | undefined> {
  const { calcPrice, findProvider } = await loadPrices();
  const providerId = findProvider({ providerApiUrl: baseUrl })?.id ?? idsInTable[provider];
  const counted = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWrittenTokens,
    output_reasoning_tokens: usage.reasoningTokens,
  };
  try {
    return calcPrice(counted, model.replace(/^models\//, ''), { providerId })?.total_price;
  } catch {
    // It refuses what it cannot count. An answer is never lost for that.
    return undefined;
  }
}
