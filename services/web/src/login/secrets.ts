import { randomBytes } from 'node:crypto';
import { Sealer } from '@stopgo/security';
import type { LoginConfig } from './config.ts';

/** A login with its secrets. */
export type Login = {
  readonly config: LoginConfig;
  readonly clientSecret: string | undefined;
  /** The first seals; each opens. */
  readonly sealers: readonly [Sealer, ...Sealer[]];
  /** All of its secrets, as they stand in the environment: for whoever takes them out of a log. */
  readonly secrets: readonly string[];
};

const keyShape = /^[0-9a-f]{64}$/i;
const keysMax = 2;

/**
 * The secrets that a login names, from the environment. `path`: the file that names them.
 *
 * @throws Error with a line for each that is missing or cannot be used; no line repeats one.
 */
export function loginOf(
  config: LoginConfig,
  env: Readonly<Record<string, string | undefined>>,
  path = 'web.yaml',
): Login {
  const { clientSecretVariable, sessionKeyVariable } = config;
  const clientSecret = clientSecretVariable === undefined ? undefined : (env[clientSecretVariable]?.trim() ?? '');
  const keys = (env[sessionKeyVariable] ?? '').split(/\s+/).filter((key) => key !== '');
  const problems = [
    ...(clientSecret === ''
      ? [`${path}: login.client_secret_env: ${clientSecretVariable} must hold the client's secret, and is not set`]
      : []),
    ...(keys.length === 0 || keys.length > keysMax || !keys.every((key) => keyShape.test(key))
      ? [
          `${path}: login.session_key_env: ${sessionKeyVariable} must hold 64 hexadecimal digits, for example of \`openssl rand -hex 32\`, or two such keys with a space between them while you replace one; ${keys.length === 0 ? 'it is not set' : 'it holds something else'}`,
        ]
      : []),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const sealers = keys.map((key) => new Sealer(Buffer.from(key, 'hex'), randomBytes));
  return {
    ...{ config, clientSecret, sealers: sealers as [Sealer, ...Sealer[]] },
    secrets: [...(clientSecret === undefined ? [] : [clientSecret]), ...keys],
  };
}
