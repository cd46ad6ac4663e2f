/** The providers whose models can be called. */
export type ProviderName = 'gemini' | 'anthropic' | 'openai' | 'mistral' | 'groq' | 'openrouter' | 'ollama';

/** Where a model name leads. `model` is the name as the provider knows it. */
export type ResolvedModel =
  | { readonly kind: 'supported'; readonly provider: ProviderName; readonly model: string }
  | { readonly kind: 'refused'; readonly problem: string };

const PREFIXES: ReadonlyMap<string, ProviderName> = new Map([
  ['google', 'gemini'],
  ['anthropic', 'anthropic'],
  ['openai', 'openai'],
  ['mistral', 'mistral'],
  ['groq', 'groq'],
  ['openrouter', 'openrouter'],
  ['ollama', 'ollama'],
]);

/**
 * Finds the provider of a model name: `provider:model` is split at its first colon; without a
 * prefix `claude-…` is Anthropic's and everything else Gemini's.
 */
export function resolveModel(name: string): ResolvedModel {
  const colon = name.indexOf(':');
  if (colon < 0) {
    if (name.trim() === '')
      return { kind: 'refused', problem: 'the model name is empty; use for example gemini-2.5-flash' };
    return { kind: 'supported', provider: name.startsWith('claude-') ? 'anthropic' : 'gemini', model: name };
  }
  const prefix = name.slice(0, colon);
  const model = name.slice(colon + 1);
  const provider = PREFIXES.get(prefix);
  if (!provider) return { kind: 'refused', problem: `unknown LLM provider: "${prefix}"` };
  if (model.trim() === '')
    return { kind: 'refused', problem: `model "${name}": the name after "${prefix}:" is missing` };
  return { kind: 'supported', provider, model };
}
