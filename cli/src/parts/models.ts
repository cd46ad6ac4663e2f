import { createModels, type Models } from '@stopgo/orchestrator';
import type { AgentConfig } from '@stopgo/runtime';
import { agentDefinition, modelsOf } from './agent-definition.ts';

export type ModelsOptions = {
  readonly config: AgentConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
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
export function checkedModels({ config, env, offlineModel }: ModelsOptions): CheckedModels {
  const models = createModels({
    env,
    modelTimeoutMs: config.llm.timeoutMs,
    ...(offlineModel === undefined ? {} : { offlineModel }),
  });
  const names = modelsOf(agentDefinition(config));
  const problems = models.check(names);
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `failed to initialize LLM client: ${problem}`).join('\n'));
  const warm = models.warmUp(names).then(
    () => undefined,
    () => undefined,
  );
  return { models, warm };
}
