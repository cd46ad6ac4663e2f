/** The providers whose models can be called. */
export type ProviderName = 'gemini' | 'anthropic' | 'openai' | 'mistral' | 'groq' | 'openrouter' | 'ollama';

/** A provider that the configuration names. */
export type Endpoint = {
  readonly type: ProviderName;
  /** The variable that holds its key. Absent: with `url` it is sent none; without it, it has the usual one of its type. */
  readonly keyVariable?: string;
  /** Absent: where the others of its type are. */
  readonly url?: string;
};

/** The providers that the configuration names. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** Where a model name leads. `model` is the name as the provider knows it, `endpoint` that of a provider of the configuration. */
export type ResolvedModel =
  | {
      readonly kind: 'supported';
      readonly provider: ProviderName;
      readonly model: string;
      readonly endpoint?: string;
    }
  | { readonly kind: 'refused'; readonly problem: string };

const providerOfPrefix: ReadonlyMap<string, ProviderName> = new Map([
  ['google', 'gemini'],
  ['anthropic', 'anthropic'],
  ['openai', 'openai'],
  ['mistral', 'mistral'],
  ['groq', 'groq'],
  ['openrouter', 'openrouter'],
  ['ollama', 'ollama'],
]);

/** What people write in place of a prefix. */
const meantPrefixes: ReadonlyMap<string, string> = new Map([
  ['gemini', 'google'],
  ['claude', 'anthropic'],
  ['gpt', 'openai'],
]);

/** Names that are certainly not Gemini's, and the prefixes under which they are had, the likeliest first. */
const others: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:gpt-|chatgpt-|o[1-9](?:-|$))/, ['openai']],
  [/^(?:mistral|ministral|magistral|codestral|devstral|pixtral)-/, ['mistral']],
  // A maker and a slash; `models/…` and the like are Gemini's own way to write a name.
  [/^(?!(?:models|tunedModels|projects|publishers)\/)[\w.-]+\//, ['openrouter', 'groq']],
  [/^(?:llama|qwen|deepseek|phi|mixtral)/, ['ollama', 'groq', 'openrouter']],
];

/** How Ollama writes the variant of a model: `qwen3:8b`, `llama3.2:latest`. */
const ollamaVariant = /^(?:latest|\d+(?:\.\d+)?[bm])\b/;

/**
 * Finds the provider of a model name: `provider:model` is split at its first colon; without a
 * prefix `claude-…` is Anthropic's and everything else Gemini's, but for names that certainly are of another provider: they are
 * refused with the prefix that they lack. A name of `endpoints` is a prefix, too, and wins.
 */
export function resolveModel(name: string, endpoints: Endpoints = {}): ResolvedModel {
  const colon = name.indexOf(':');
  if (colon < 0) return withoutPrefix(name);
  const prefix = name.slice(0, colon);
  const model = name.slice(colon + 1);
  const named = Object.hasOwn(endpoints, prefix) ? endpoints[prefix] : undefined;
  const provider = named?.type ?? providerOfPrefix.get(prefix);
  if (!provider) return { kind: 'refused', problem: unknownPrefix(prefix, model, Object.keys(endpoints)) };
  if (model.trim() === '')
    return { kind: 'refused', problem: `model "${name}": the name after "${prefix}:" is missing` };
  return { kind: 'supported', provider, model, ...(named && { endpoint: prefix }) };
}

function withoutPrefix(name: string): ResolvedModel {
  if (name.trim() === '')
    return { kind: 'refused', problem: 'the model name is empty; use for example gemini-2.5-flash' };
  const prefixes = others.find(([pattern]) => pattern.test(name))?.[1];
  if (prefixes === undefined)
    return { kind: 'supported', provider: name.startsWith('claude-') ? 'anthropic' : 'gemini', model: name };
  const problem = `model "${name}" does not say its provider: write ${oneOf(prefixes.map((prefix) => `${prefix}:${name}`))}`;
  return { kind: 'refused', problem };
}

function unknownPrefix(prefix: string, model: string, endpoints: readonly string[]): string {
  const meant =
    meantPrefixes.get(prefix.toLowerCase()) ??
    (providerOfPrefix.has(prefix.toLowerCase()) ? prefix.toLowerCase() : undefined);
  const hint =
    meant !== undefined
      ? `, did you mean ${meant}:${model}?`
      : ollamaVariant.test(model)
        ? `, a model of Ollama is written ollama:${prefix}:${model}`
        : '';
  return `unknown LLM provider: "${prefix}" (known: ${[...new Set([...providerOfPrefix.keys(), ...endpoints])].join(', ')})${hint}`;
}

function oneOf(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
