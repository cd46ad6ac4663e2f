import { z } from 'zod';
import { inYamlWords, isRequired } from './problem.ts';
import { variableOf, variableReference } from './references.ts';
import { choice, httpUrl, mapping } from './shapes.ts';
import type { ProviderConfig, ProviderType } from './types.ts';

/*
 * Providers of models that the configuration names: which protocol they speak, where they are, and which key they want.
 */

const types = {
  OPENAI: 'openai',
  ANTHROPIC: 'anthropic',
  GEMINI: 'gemini',
  GROQ: 'groq',
  OLLAMA: 'ollama',
  MISTRAL: 'mistral',
  OPENROUTER: 'openrouter',
} as const satisfies Readonly<Record<string, ProviderType>>;

type TypeWord = keyof typeof types;

/** Names that stand for a provider already, before the colon of a model's name. */
const usualNames: ReadonlyMap<string, ProviderType> = new Map(
  Object.entries({
    google: 'gemini',
    anthropic: 'anthropic',
    openai: 'openai',
    mistral: 'mistral',
    groq: 'groq',
    openrouter: 'openrouter',
    ollama: 'ollama',
  } as const),
);

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** One entry of `providers`. */
export const providerSchema = mapping({
  type: choice(Object.keys(types) as [TypeWord, ...TypeWord[]]),
  api_key: variableReference().optional(),
  api_url: httpUrl('https://models.example.com/v1').optional(),
});

export type ProviderShape = z.output<typeof providerSchema>;

/** Providers by name. */
export function providersByName() {
  return z
    .record(z.string(), providerSchema, {
      error: ({ input }) => {
        if (input === undefined) return isRequired;
        return `expected names of providers with type, api_key and api_url below each, found ${inYamlWords(input)}`;
      },
    })
    .superRefine((providers, context) => {
      for (const [name, { type }] of Object.entries(providers)) {
        const say = (message: string) => context.addIssue({ code: 'custom', message, path: [name] });
        if (!namePattern.test(name))
          say('a name of a provider has 1 to 64 letters, digits, _ or -, and begins with a letter');
        else if (usualNames.has(name) && usualNames.get(name) !== types[type])
          say(`models of this name are of another type already; give it another name, or the type that it has`);
      }
    });
}

/** All of them as the rest of the code works with them. */
export function providersOf(shapes: Readonly<Record<string, ProviderShape>>): Readonly<Record<string, ProviderConfig>> {
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, provider(shape)]));
}

/** A provider as the rest of the code works with it. */
export function provider({ type, api_key: key, api_url: url }: ProviderShape): ProviderConfig {
  return {
    type: types[type],
    ...(key === undefined ? {} : { keyVariable: variableOf(key) }),
    ...(url === undefined ? {} : { url }),
  };
}
