import type { Seams } from './intercepts.ts';

/**
 * Ways to break the platform on purpose, between its services. The crash test must see each of them; one that it does not
 * see is a hole in the checker. Those inside of a service are edits of its source: see `../chaos/mutants.ts`.
 */
export const mutants = {
  /** Asks the model twice for each answer. */
  'ask-model-again': {
    models: (models) => ({
      forModel: (...names) => ({
        takes: (...media) => models.forModel(...names).takes(...media),
        generate: async (request, call) => {
          await models.forModel(...names).generate(request, { ...call, onDelta: () => undefined });
          return models.forModel(...names).generate(request, call);
        },
      }),
    }),
  },
} as const satisfies Readonly<Record<string, Partial<Seams>>>;

export type MutantName = keyof typeof mutants;
