/** What models' answers use: tokens, and money. */
import type { facts } from '@stopgo/proto';

/** What one answer has used, as its provider reported it. */
export type AnswerUsage = {
  /** Those that came from the provider's cache, or went into it, are among them. */
  readonly inputTokens: number;
  /** Those of thoughts are among them. */
  readonly outputTokens: number;
  /** Of the input: read from the provider's cache. Absent: none. */
  readonly cachedTokens?: number;
  /** Of the input: written to the provider's cache. Absent: none. */
  readonly cacheWrittenTokens?: number;
  /** Of the output: those of thoughts. Absent: none. */
  readonly reasoningTokens?: number;
  /** In nano-dollars: 1,000,000,000 are one US dollar. A whole number. Absent: no price is known. */
  readonly costNanoUsd?: number;
};

/** What several answers have used together. No part of it grows beyond `Number.MAX_SAFE_INTEGER`. */
export type Spent = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What those answers cost whose price was known, in nano-dollars. Absent: there was none. */
  readonly costNanoUsd?: number;
  /** Answers whose price was not known: so much more may have been spent. Absent: none. */
  readonly unpriced?: number;
};

type Recorded = Pick<facts.Usage, 'inputTokens' | 'outputTokens' | 'costNanoUsd'>;

/** Of nothing. */
export const nothingSpent: Spent = { inputTokens: 0, outputTokens: 0 };

/** What a recorded answer has used. One whose cost is not on the record has no known price: so is every one of an old log. */
export function spentByAnswer(usage: Recorded | undefined): Spent {
  const { inputTokens = 0, outputTokens = 0, costNanoUsd } = usage ?? {};
  return {
    ...{ inputTokens, outputTokens },
    ...(costNanoUsd === undefined ? { unpriced: 1 } : { costNanoUsd: whole(Number(costNanoUsd)) }),
  };
}

/** Two of them as one. */
export function plus(one: Spent, other: Spent): Spent {
  const costs = [one, other].flatMap(({ costNanoUsd }) => costNanoUsd ?? []);
  const unpriced = (one.unpriced ?? 0) + (other.unpriced ?? 0);
  return {
    inputTokens: whole(one.inputTokens + other.inputTokens),
    outputTokens: whole(one.outputTokens + other.outputTokens),
    ...(costs.length === 0 ? {} : { costNanoUsd: whole(costs.reduce((sum, cost) => sum + cost, 0)) }),
    ...(unpriced === 0 ? {} : { unpriced }),
  };
}

/** As it is recorded and shown. */
export function spentToWire({ inputTokens, outputTokens, costNanoUsd, unpriced }: Spent) {
  return {
    inputTokens: Math.min(inputTokens, tokensMax),
    outputTokens: Math.min(outputTokens, tokensMax),
    ...costToWire(costNanoUsd),
    unpricedAnswers: unpriced ?? 0,
  };
}

/** The same of one answer, whatever its provider said: no answer is lost for an amount that cannot be. */
export function usageToWire({ inputTokens, outputTokens, costNanoUsd, ...parts }: AnswerUsage) {
  const { cachedTokens, cacheWrittenTokens, reasoningTokens } = parts;
  return {
    ...{ inputTokens: tokens(inputTokens), outputTokens: tokens(outputTokens), cachedTokens: tokens(cachedTokens) },
    ...{ cacheWrittenTokens: tokens(cacheWrittenTokens), reasoningTokens: tokens(reasoningTokens) },
    ...costToWire(costNanoUsd !== undefined && costNanoUsd >= 0 ? costNanoUsd : undefined),
  };
}

function tokens(count = 0): number {
  return count > 0 ? Math.min(Math.floor(count), tokensMax) : 0;
}

/** The most that a field of the record holds. */
const tokensMax = 2 ** 32 - 1;

const costToWire = (nanoUsd: number | undefined) =>
  nanoUsd === undefined ? {} : { costNanoUsd: BigInt(whole(Math.round(nanoUsd))) };

function whole(amount: number): number {
  return Math.min(amount, Number.MAX_SAFE_INTEGER);
}
