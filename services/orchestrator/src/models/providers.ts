import type { AdapterOptions } from './adapter.ts';
import { createAnthropic, loadAnthropicSdk } from './anthropic.ts';
import { createGemini, loadGeminiSdk } from './gemini.ts';
import type { ProviderName } from './model-name.ts';
import { createOpenai, loadOpenaiSdk } from './openai.ts';
import { dialects } from './openai-dialects.ts';
import type { ModelPort } from './port.ts';

/** How a provider is reached. */
export type ProviderSettings = {
  /** The variable that holds the key; undefined for a provider that wants none. */
  readonly keyVariable: string | undefined;
  readonly urlVariable: string;
  readonly defaultUrl: string;
  readonly create: (options: AdapterOptions) => ModelPort;
  readonly load: () => Promise<unknown>;
};

/** Every provider whose models can be called. */
export const providers: Readonly<Record<ProviderName, ProviderSettings>> = {
  gemini: {
    keyVariable: 'GEMINI_API_KEY',
    urlVariable: 'GEMINI_BASE_URL',
    defaultUrl: 'https://generativelanguage.googleapis.com',
    create: createGemini,
    load: loadGeminiSdk,
  },
  anthropic: {
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    defaultUrl: 'https://api.anthropic.com',
    create: createAnthropic,
    load: loadAnthropicSdk,
  },
  openai: openaiCompatible('openai', 'https://api.openai.com/v1'),
  mistral: openaiCompatible('mistral', 'https://api.mistral.ai/v1'),
  groq: openaiCompatible('groq', 'https://api.groq.com/openai/v1'),
  openrouter: openaiCompatible('openrouter', 'https://openrouter.ai/api/v1'),
  ollama: { ...openaiCompatible('ollama', 'http://localhost:11434/v1'), keyVariable: undefined },
};

function openaiCompatible(provider: keyof typeof dialects, defaultUrl: string): ProviderSettings {
  const variables = provider.toUpperCase();
  return {
    keyVariable: `${variables}_API_KEY`,
    urlVariable: `${variables}_BASE_URL`,
    defaultUrl,
    create: (options) => createOpenai(dialects[provider], options),
    load: loadOpenaiSdk,
  };
}
