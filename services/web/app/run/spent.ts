/** What models' answers have used. */
export type Spent = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In nano-dollars; absent: no price is known of any of them. */
  readonly costNanoUsd?: number;
  /** Answers whose price is not known. */
  readonly unpriced: number;
};

export const nothingSpent: Spent = { inputTokens: 0, outputTokens: 0, unpriced: 0 };

export function plus(one: Spent, other: Spent): Spent {
  const cost =
    one.costNanoUsd === undefined && other.costNanoUsd === undefined
      ? {}
      : { costNanoUsd: (one.costNanoUsd ?? 0) + (other.costNanoUsd ?? 0) };
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    unpriced: one.unpriced + other.unpriced,
    ...cost,
  };
}

const numberOf = (value: unknown): number => (typeof value === 'number' || typeof value === 'string' ? +value : 0);

/** What one answer has used, as its event says it. */
export function spentByAnswer(usage: unknown): Spent {
  const { input_tokens, output_tokens, cost_nano_usd } = (usage ?? {}) as Readonly<Record<string, unknown>>;
  const used = { inputTokens: numberOf(input_tokens), outputTokens: numberOf(output_tokens) };
  return cost_nano_usd === undefined
    ? { ...used, unpriced: 1 }
    : { ...used, unpriced: 0, costNanoUsd: numberOf(cost_nano_usd) };
}

const nanosPerDollar = 1_000_000_000;

/** Dollars in so many digits that small amounts do not become nothing. */
export function dollars(nanos: number): string {
  const amount = nanos / nanosPerDollar;
  const digits = amount >= 1 || amount === 0 ? 2 : amount >= 0.01 ? 4 : 6;
  return nanos > 0 && amount < 0.000001 ? 'less than $0.000001' : `$${amount.toFixed(digits)}`;
}

/** What answers cost, as far as it is known. */
export function costWords({ costNanoUsd, unpriced, inputTokens, outputTokens }: Spent): string {
  if (costNanoUsd === undefined) return inputTokens + outputTokens > 0 || unpriced > 0 ? 'not known' : '';
  return unpriced === 0 ? dollars(costNanoUsd) : `${dollars(costNanoUsd)} and more`;
}

export const numberWords = (number: number): string => number.toLocaleString('en');
