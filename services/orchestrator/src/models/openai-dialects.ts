import type { ProviderName } from './model-name.ts';

/** What differs between providers that speak OpenAI's chat completions. */
export type Dialect = {
  readonly provider: ProviderName;
  /** Whether usage in a stream must be asked for. Mistral sends it anyway, and refuses fields that it does not know. */
  readonly asksForUsage: boolean;
  /** Whether reasoning that came as text may be handed back. Some models at Groq refuse what they said themselves. */
  readonly takesReasoning: boolean;
  /** Headers beside those of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
};

/** The providers that speak it. */
export const DIALECTS = {
  openai: { provider: 'openai', asksForUsage: true, takesReasoning: true, headers: {} },
  mistral: { provider: 'mistral', asksForUsage: false, takesReasoning: true, headers: {} },
  groq: { provider: 'groq', asksForUsage: true, takesReasoning: false, headers: {} },
  // By these OpenRouter tells which program a request came from.
  openrouter: {
    provider: 'openrouter',
    asksForUsage: true,
    takesReasoning: true,
    headers: { 'HTTP-Referer': 'http://localhost', 'X-Title': 'Stop and Go' },
  },
  ollama: { provider: 'ollama', asksForUsage: true, takesReasoning: true, headers: {} },
} as const satisfies Readonly<Record<string, Dialect>>;
