import type { AgentConfig, Redactor } from '@stopgo/runtime';

/** Names of environment variables whose values must never be shown. */
export const keyVariables = [
  'GEMINI_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
  'OPENROUTER_API_KEY',
] as const;

/** Registers the API keys of the environment and what the configuration gives to tool servers, which may be credentials. */
export function registerSecrets(
  redactor: Redactor,
  config: AgentConfig,
  env: Readonly<Record<string, string | undefined>>,
): void {
  for (const name of keyVariables) redactor.registerSecret(env[name]?.trim() ?? '');
  for (const { transport } of config.mcpServers) {
    if (transport.kind === 'stdio') for (const value of Object.values(transport.env)) redactor.registerSecret(value);
    else
      for (const name of [transport.tokenVariable, transport.login?.secretVariable])
        redactor.registerSecret(env[name ?? '']?.trim() ?? '');
  }
}
