import {
  type Authenticate,
  authenticator,
  type GatewayClients,
  type LinkUser,
  linkUsers,
  type TokenRules,
  tokenCheck,
} from '@stopgo/gateway';
import type { AgentConfig, JwtConfig } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import type { PartOptions } from './part.ts';

/** Bytes of the secret of HS256 (RFC 7518, section 3.2). */
const secretBytesMin = 32;

/** How the gateway finds out who sends a request; undefined where nobody has to sign in. @throws Error in one line. */
export function signInOf(
  { config, env, logger }: PartOptions,
  clients: Pick<GatewayClients, 'store' | 'people'>,
): Authenticate | undefined {
  const { auth } = config;
  if (auth === undefined) return undefined;
  return authenticator({
    ...clients,
    checkToken: auth.jwt === undefined ? undefined : tokenCheck(rulesOf(auth.jwt, env), Date.now),
    keyGroupsForMs: keyGroupsForMs(auth),
    mayCreate: auth.newUsers === 'first_login',
    now: Date.now,
    onNotNoted: (error) => logger.debug('a sign-in was not noted', { error }),
  });
}

/** Who the users of links are; undefined where nobody has to sign in. */
export const linkUserOf = (
  { auth }: Pick<AgentConfig, 'auth'>,
  { store }: Pick<GatewayClients, 'store'>,
): LinkUser | undefined =>
  auth === undefined ? undefined : linkUsers({ store, keyGroupsForMs: keyGroupsForMs(auth), now: Date.now });

/** Without an issuer nobody vouches for groups any more. */
const keyGroupsForMs = ({ jwt }: NonNullable<AgentConfig['auth']>): number => jwt?.keyGroupsForMs ?? 0;

function rulesOf(jwt: JwtConfig, env: PartOptions['env']): TokenRules {
  const { keys, groups, ...rest } = jwt;
  return {
    ...rest,
    groups,
    keys: keys.kind === 'secret' ? { kind: 'secret', secret: secretOf(keys.variable, env) } : keys,
  };
}

function secretOf(variable: string, env: PartOptions['env']): string {
  const secret = env[variable] ?? '';
  const problem = tokenSecretProblem(variable, secret);
  if (problem === undefined) return secret;
  throw new Error(`auth.jwt.secret_env: ${problem}`);
}

/** What is wrong with the secret that tokens are signed with, in this variable; undefined if nothing is. Does not repeat it. */
export function tokenSecretProblem(variable: string, value: string | undefined): string | undefined {
  const secret = value ?? '';
  if (Buffer.byteLength(secret) >= secretBytesMin) return undefined;
  return `${variable} must hold a secret of at least ${secretBytesMin} bytes, and ${secret === '' ? 'is not set' : 'is shorter'}; make one with \`openssl rand -hex 32\``;
}

/** Variables of the environment that signing in needs. */
export function signInVariables({ auth }: Pick<AgentConfig, 'auth'>): readonly string[] {
  const { keys } = auth?.jwt ?? {};
  return keys?.kind === 'secret' ? [keys.variable] : [];
}

/**
 * What keeps a platform from a start whatever else it needs: nobody has to sign in where that is not to be, or what people sign in with
 * cannot be checked.
 *
 * @throws Error in one line.
 */
export function checkSignIn({ config, env }: Pick<PartOptions, 'config' | 'env'>): void {
  const { auth, host } = config;
  if (auth?.jwt !== undefined) tokenCheck(rulesOf(auth.jwt, env), Date.now);
  if (auth !== undefined || isLoopback(host)) return;
  const isByEnvironment = env.STOPGO_REQUIRE_AUTH?.trim() === 'true';
  if (!isByEnvironment && !config.requireAuth) return;
  const who = isByEnvironment ? 'STOPGO_REQUIRE_AUTH' : 'require_auth';
  throw new Error(
    `${who} is true, host is ${host}, and the configuration has no "auth": add it, so that people have to sign in, or listen on 127.0.0.1`,
  );
}
