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

/**
 * The configured webhooks with their secrets.
 *
 * @throws Error in one line for a variable that holds no secret; it does not repeat it.
 */
export function webhooksOf({ config, env }: Pick<PartOptions, 'config' | 'env'>): readonly Webhook[] {
  return config.webhooks.map(({ secretVariable, ...webhook }, index) => {
    const secrets = secretsIn(env[secretVariable]);
    if (secrets.length === 0 || secrets.some((one) => webhookKey(one) === undefined))
      throw new Error(
        `webhooks[${index}].secret_env: ${secretVariable} must hold whsec_ and 24 to 64 bytes in base64, and ${secrets.length === 0 ? 'is not set' : 'holds something else'}; make one with \`echo whsec_$(openssl rand -base64 32)\``,
      );
    return { ...webhook, secrets: secrets.map((one) => new Secret(one)) };
  });
}
