import type { ProviderName } from './model-name.ts';

/** What differs between providers that speak OpenAI's chat completions. */
export type Dialect = {
  readonly provider: ProviderName;
  /** Whether usage in a stream must be asked for. Mistral sends it anyway, and refuses fields that it does not know. */
  readonly asksForUsage: boolean;
  /** Whether reasoning that came as text may be handed back. Some models at Groq refuse what they said themselves. */
  readonly takesReasoning: boolean;
  /** What the field is called that limits the tokens of an answer. */
  readonly limitField: 'max_completion_tokens' | 'max_tokens';
  /** How a PDF is handed over; `none`: not at all. */
  readonly files: 'file' | 'document_url' | 'none';
  /** Media that one request may show. */
  readonly mediaMax: number;
  /** Headers beside those of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
};

/** The providers that speak it. */
export const dialects = {
  openai: {
    provider: 'openai',
    asksForUsage: true,
    takesReasoning: true,
    limitField: 'max_completion_tokens',
    mediaMax: 20,
    files: 'file',
    headers: {},
  },
  mistral: {
    provider: 'mistral',
    asksForUsage: false,
    takesReasoning: true,
    limitField: 'max_tokens',
    mediaMax: 8,
    files: 'document_url',
    headers: {},
  },
  groq: {
    provider: 'groq',
    asksForUsage: true,
    takesReasoning: false,
    limitField: 'max_completion_tokens',
    mediaMax: 5,
    files: 'none',
    headers: {},
  },
  // By these OpenRouter tells which program a request came from.
  openrouter: {
    provider: 'openrouter',
    asksForUsage: true,
    takesReasoning: true,
    limitField: 'max_tokens',
    mediaMax: 20,
    files: 'file',
    headers: { 'HTTP-Referer': 'http://localhost', 'X-Title': 'Stop and Go' },
  },
  ollama: {
    provider: 'ollama',
    asksForUsage: true,
    takesReasoning: true,
    limitField: 'max_tokens',
    mediaMax: 20,
    files: 'none',
    headers: {},
  },
} as const satisfies Readonly<Record<string, Dialect>>;
