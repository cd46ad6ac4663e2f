import { type Webhook, webhookKey } from '@stopgo/orchestrator';
import { Secret } from '@stopgo/rpc';
import type { AgentConfig } from '@stopgo/runtime';
import type { PartOptions } from './part.ts';

/** Variables of the environment that hold the secrets of webhooks. */
export function webhookVariables({ webhooks }: Pick<AgentConfig, 'webhooks'>): readonly string[] {
  return webhooks.map(({ secretVariable }) => secretVariable);
}

/** The secrets that a variable holds: one, or for a while the new and the old one. */
export const secretsIn = (value: string | undefined): readonly string[] =>
  (value ?? '').split(/\s+/).filter((one) => one !== '');

/** What is wrong with the secret of a webhook in this variable; undefined if nothing is. Does not repeat it. */
export function webhookSecretProblem(variable: string, value: string | undefined): string | undefined {
  const secrets = secretsIn(value);
  if (secrets.length > 0 && secrets.every((one) => webhookKey(one) !== undefined)) return undefined;
  return `${variable} must hold whsec_ and 24 to 64 bytes in base64, and ${secrets.length === 0 ? 'is not set' : 'holds something else'}; make one with \`echo whsec_$(openssl rand -base64 32)\``;
}

/**
 * The configured webhooks with their secrets.
 *
 * @throws Error in one line for a variable that holds no secret; it does not repeat it.
 */
export function webhooksOf({ config, env }: Pick<PartOptions, 'config' | 'env'>): readonly Webhook[] {
  return config.webhooks.map(({ secretVariable, ...webhook }, index) => {
    const problem = webhookSecretProblem(secretVariable, env[secretVariable]);
    if (problem !== undefined) throw new Error(`webhooks[${index}].secret_env: ${problem}`);
    return { ...webhook, secrets: secretsIn(env[secretVariable]).map((one) => new Secret(one)) };
  });
}
