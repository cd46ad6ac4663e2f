import { createModels, type Models } from '@stopgo/orchestrator';
import type { AgentConfig, Logger } from '@stopgo/runtime';
import { agentDefinition, modelsOf } from './agent-definition.ts';

export type ModelsOptions = {
  readonly config: AgentConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger?: Logger;
  /** Base URL of the offline model, if every model call is to go there. */
  readonly offlineModel?: string;
};

/** The models of the configured agent, and the promise that their code is loaded. */
export type CheckedModels = { readonly models: Models; readonly warm: Promise<void> };

/**
 * The models that the configured agent uses.
 *
 * @throws Error that names what is missing, such as a key.
 */
export function checkedModels(options: ModelsOptions): CheckedModels {
  checkModels(options);
  const { config, logger } = options;
  const models = modelsWith(options, {
    modelTimeoutMs: config.llm.timeoutMs,
    ...(config.prices === undefined ? {} : { prices: config.prices }),
    ...(config.providers === undefined ? {} : { endpoints: config.providers }),
    ...(logger && {
      onFallback: (of: object) => logger.warn('a model could not answer; another one is asked', { ...of }),
      onUnpriced: (model: string) =>
        logger.warn('no price of a model is known: its answers have no cost on the record', { model }),
    }),
  });
  const warm = models.warmUp(modelsOf(agentDefinition(config))).then(
    () => undefined,
    () => undefined,
  );
  return { models, warm };
}

/** @throws Error that names what a model of the configured agent lacks, such as a key. */
export function checkModels(options: ModelsOptions): void {
  const problems = modelProblems(options);
  if (problems.length > 0) throw new Error(`failed to initialize LLM client: ${problems.join('; ')}`);
}

/** What models lack, one line each; without names those of the configured agent. */
export function modelProblems(
  options: ModelsOptions,
  names: readonly string[] = modelsOf(agentDefinition(options.config)),
): readonly string[] {
  return problemsOfModels(names, options, options.config.providers);
}

/** The same of models by their names. */
export function problemsOfModels(
  names: readonly string[],
  options: Pick<ModelsOptions, 'env' | 'offlineModel'>,
  endpoints: AgentConfig['providers'] = {},
): readonly string[] {
  // None is asked.
  return modelsWith(options, { modelTimeoutMs: 0, endpoints }).check(names);
}

function modelsWith(
  { env, offlineModel }: Pick<ModelsOptions, 'env' | 'offlineModel'>,
  more: Omit<Parameters<typeof createModels>[0], 'env'>,
) {
  return createModels({ env, ...more, ...(offlineModel === undefined ? {} : { offlineModel }) });
}
