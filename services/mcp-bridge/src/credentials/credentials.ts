import type { FetchLike, Middleware } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { NotAllowed } from '../failures.ts';
import type { Environment } from '../lines/child-environment.ts';
import { isHeaderToken, tokensHidden } from './bearer.ts';
import { ClientCredentials } from './client-credentials.ts';
import { createLoginFetch } from './login-fetch.ts';

/** Credentials of our own for one server, which are not those of any caller. */
export type OwnCredentials = {
  /** Puts them into each request. */
  readonly middleware: Middleware;
  /** The text without them: the server may repeat them in what it answers. */
  readonly clean: (text: string) => string;
};

/** What they are made of. */
export type CredentialDependencies = {
  readonly bounds: BridgeBounds;
  readonly environment: Environment;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
};

/** Whether the configuration gives a server credentials of its own. */
export function hasOwnCredentials(transport: McpServerConfig['transport']): boolean {
  return transport.kind === 'http' && (transport.auth === 'static' || transport.auth === 'client_credentials');
}

/**
 * The credentials that the configuration gives a server; undefined if it gives none.
 *
 * @throws NotAllowed if a variable that is to hold one holds none, or nothing that could be sent.
 */
export function ownCredentials(
  { name, transport }: McpServerConfig,
  { bounds, environment, clock }: CredentialDependencies,
): OwnCredentials | undefined {
  if (transport.kind !== 'http') return undefined;
  const { auth, url, tokenVariable, login } = transport;
  if (auth === 'static') {
    const token = secretOf(tokenVariable, environment);
    return { middleware: withAuthorization(() => token), clean: tokensHidden(token) };
  }
  if (auth !== 'client_credentials' || login === undefined) return undefined;
  const clientId = secretOf(login.idVariable, environment);
  const clientSecret = secretOf(login.secretVariable, environment);
  const account = new ClientCredentials(
    { serverUrl: url, serverName: name, clientId, clientSecret, ...login },
    { bounds, clock, fetch: createLoginFetch(bounds, [url, login.issuer ?? url, login.tokenUrl ?? url]) },
  );
  return {
    middleware: (next) => account.around(next),
    clean: (text) => account.clean(text),
  };
}

/** The tokens and login secrets that the configuration gives to servers, as far as the environment has them. */
export function secretsOf(servers: readonly McpServerConfig[], environment: Environment): string[] {
  return servers
    .flatMap(({ transport }) =>
      transport.kind === 'http'
        ? [transport.tokenVariable, transport.login?.secretVariable, transport.accounts?.secretVariable]
        : [],
    )
    .map((variable) => environment[variable ?? '']?.trim() ?? '');
}

function secretOf(variable: string | undefined, environment: Environment): string {
  const value = environment[variable ?? '']?.trim() ?? '';
  if (value === '') throw new NotAllowed(`the environment variable ${variable} is not set; set it to the credential`);
  if (!isHeaderToken(value))
    throw new NotAllowed(`the environment variable ${variable} holds characters that no credential may have`);
  return value;
}

function withAuthorization(token: () => string): Middleware {
  return (next: FetchLike) => (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token()}`);
    return next(url, { ...init, headers });
  };
}
