import { ConfigError } from './config-error.ts';
import { inYamlWords } from './problem.ts';
import type { ModelPrices, PriceTable, TokenPrices } from './types.ts';

/*
 * A table of prices in the shape of litellm's `model_prices_and_context_window.json`: models by name, and for each what one token
 * costs in US dollars.
 */

/** Characters of a table that are read. The whole of litellm's has 1.7 million. */
const charactersMax = 16 * 1024 * 1024;
/** Problems that are told of one table. */
const problemsMax = 20;

const keys = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cached: 'cache_read_input_token_cost',
  cacheWritten: 'cache_creation_input_token_cost',
  reasoning: 'output_cost_per_reasoning_token',
} as const;

/** Such a key with a price for long inputs. */
const longKey = /^([a-z_]+)_above_(\d+)k_tokens$/;
const tokensPerK = 1_000;

type Price = keyof TokenPrices;
type Entry = Readonly<Record<string, unknown>>;

/**
 * Reads such a table. What it says of images, sounds and the like is passed over, and so is an entry that says what its model is for
 * (`mode`) and lacks the price of input or output tokens.
 *
 * @throws ConfigError with the problems, one line each, and where they are.
 */
export function parsePrices(source: string, path: string): PriceTable {
  if (source.length > charactersMax)
    throw refused(path, [`${path}: it has ${source.length} characters, more than ${charactersMax}`]);
  const table = parseJson(source, path);
  const problems: string[] = [];
  const prices: Record<string, ModelPrices> = {};
  for (const [name, entry] of Object.entries(table)) {
    if (name === 'sample_spec') continue;
    const say = (key: string | undefined, problem: string): void => {
      const what = key === undefined ? JSON.stringify(name) : `${JSON.stringify(name)}.${key}`;
      problems.push(`${placeOf(source, path, name, key)}: ${what} ${problem}`);
    };
    if (!isEntry(entry)) say(undefined, `must be a mapping with prices, found ${inYamlWords(entry)}`);
    else {
      const found = pricesOf(entry, say);
      if (found !== undefined) Object.defineProperty(prices, name, { value: found, enumerable: true });
    }
    if (problems.length >= problemsMax) break;
  }
  if (problems.length > 0) throw refused(path, problems);
  return prices;
}

function pricesOf(entry: Entry, say: (key: string | undefined, problem: string) => void): ModelPrices | undefined {
  const priceAt = (key: string): number | undefined => {
    const value = entry[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    say(
      key,
      `must be the price of one token in US dollars, a number that is not negative; found ${inYamlWords(value)}`,
    );
    return undefined;
  };
  const missing = [keys.input, keys.output].filter((key) => entry[key] === undefined || entry[key] === null);
  if (missing.length > 0) {
    if (entry.mode === undefined) say(undefined, `lacks ${missing.join(' and ')}`);
    return undefined;
  }
  const [input, output] = [priceAt(keys.input), priceAt(keys.output)];
  if (input === undefined || output === undefined) return undefined;
  const rest = given((price) => priceAt(keys[price]), ['cached', 'cacheWritten', 'reasoning']);
  const base: TokenPrices = { input, output, ...rest };
  const above = [...thresholdsOf(entry)]
    .toSorted((one, other) => one - other)
    .map((thousands) => ({
      ...{ ...base, ...given((price) => priceAt(`${keys[price]}_above_${thousands}k_tokens`), allPrices) },
      inputTokens: thousands * tokensPerK,
    }));
  return above.length === 0 ? base : { ...base, above };
}

const allPrices = ['input', 'output', 'cached', 'cacheWritten', 'reasoning'] as const satisfies readonly Price[];

/** Those prices that are there. */
function given(priceOf: (price: Price) => number | undefined, wanted: readonly Price[]): Partial<TokenPrices> {
  return Object.fromEntries(
    wanted.flatMap((price) => {
      const value = priceOf(price);
      return value === undefined ? [] : [[price, value]];
    }),
  );
}

/** From how many thousand tokens of input on there are other prices. */
function thresholdsOf(entry: Entry): ReadonlySet<number> {
  const known: ReadonlySet<string> = new Set(Object.values(keys));
  return new Set(
    Object.keys(entry).flatMap((key) => {
      const [, base = '', thousands = ''] = longKey.exec(key) ?? [];
      return known.has(base) ? [Number(thousands)] : [];
    }),
  );
}

function parseJson(source: string, path: string): Entry {
  let table: unknown;
  try {
    table = JSON.parse(source);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = /at position (\d+)/.exec(message)?.[1];
    const place = lineAndColumn(source, position === undefined ? source.length : Number(position));
    throw refused(path, [`${path}:${place}: it is no JSON from here on`]);
  }
  if (!isEntry(table))
    throw refused(path, [`${path}: expected names of models with their prices, found ${inYamlWords(table)}`]);
  return table;
}

function placeOf(source: string, path: string, name: string, key: string | undefined): string {
  const at = offsetOf(source, name, 0);
  return `${path}:${lineAndColumn(source, key === undefined ? at : offsetOf(source, key, at))}`;
}

/** Where a key is written, from an offset on; the offset if it is written otherwise, such as with escapes. */
function offsetOf(source: string, key: string, from: number): number {
  const quoted = JSON.stringify(key);
  for (let at = source.indexOf(quoted, from); at >= 0; at = source.indexOf(quoted, at + 1))
    if (/^\s*:/.test(source.slice(at + quoted.length, at + quoted.length + 100))) return at;
  return from;
}

function lineAndColumn(source: string, offset: number): string {
  const before = source.slice(0, offset);
  return `${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(path: string, problems: readonly string[]): ConfigError {
  return new ConfigError(path, problems, problems);
}
