import type { AgentConfig, Redactor } from '@stopgo/runtime';
import { providerVariables } from './providers.ts';
import { registryVariables } from './registry.ts';
import { signInVariables } from './sign-in.ts';
import { secretsIn, webhookVariables } from './webhooks.ts';

/** Names of environment variables whose values must never be shown. */
export const keyVariables = [
  'GEMINI_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
  'OPENROUTER_API_KEY',
] as const;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * API keys, tokens and login secrets of the environment: what must not be repeated in anything that is answered. Values of the `env`
 * of a tool server are not among them, most of which are no secrets.
 */
export function credentialsOf(config: AgentConfig, env: Variables): string[] {
  const variables = config.mcpServers.flatMap(({ transport }) =>
    transport.kind === 'stdio'
      ? []
      : [transport.tokenVariable, transport.login?.secretVariable, transport.accounts?.secretVariable],
  );
  return [
    ...keyVariables,
    ...variables,
    ...providerVariables(config),
    ...signInVariables(config),
    ...registryVariables(config),
  ]
    .map((name) => env[name ?? '']?.trim() ?? '')
    .concat(webhookVariables(config).flatMap((name) => secretsIn(env[name])))
    .filter((value) => value !== '');
}

/** Registers the credentials of the environment and what the configuration gives to tool servers, which may be credentials. */
export function registerSecrets(redactor: Redactor, config: AgentConfig, env: Variables): void {
  for (const secret of credentialsOf(config, env)) redactor.registerSecret(secret);
  for (const { transport } of config.mcpServers)
    if (transport.kind === 'stdio') for (const value of Object.values(transport.env)) redactor.registerSecret(value);
}
