import { type FetchLike, type OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client';
import { failedPrecondition, unavailable } from '@stopgo/core';
import type { McpServerConfig } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import type { BridgeBounds } from '../bounds.ts';
import { createLoginFetch } from '../credentials/login-fetch.ts';
import type { Environment } from '../lines/child-environment.ts';
import { NotConnectable, type Wanted } from './authorization-server.ts';
import type { AccountSecrets, RegisteredClient } from './sealed-account.ts';

/** A tool server at which users connect accounts. */
export type OauthServer = {
  readonly name: string;
  readonly url: string;
  readonly wanted: Wanted;
  readonly fetch: FetchLike;
  /** The client of the configuration; absent: there is none. @throws NotConnectable if its variable is not set. */
  readonly clientOf: () => RegisteredClient | undefined;
};

/** What servers are asked with. */
export type OauthPorts = {
  readonly bounds: Pick<BridgeBounds, 'loginMs' | 'loginBytesMax'>;
  readonly environment: Environment;
};

/** The server, as a list of one; none if accounts are not connected there. */
export function oauthServer(
  { name, transport }: McpServerConfig,
  { bounds, environment }: OauthPorts,
): readonly OauthServer[] {
  if (transport.kind !== 'http' || transport.auth !== 'oauth') return [];
  const { url, accounts = {} } = transport;
  const { issuer, scope, idVariable, secretVariable } = accounts;
  const fetch = createLoginFetch(bounds, issuer === undefined ? [url] : [url, issuer], {
    isStranger: true,
    onThisMachine: isLoopback(new URL(url).hostname),
  });
  const wanted = {
    serverUrl: url,
    ...(issuer === undefined ? {} : { issuer }),
    ...(scope === undefined ? {} : { scope }),
  };
  const clientOf = () => {
    const id = environment[idVariable ?? '']?.trim() ?? '';
    const secret = environment[secretVariable ?? '']?.trim() ?? '';
    if (idVariable === undefined) return undefined;
    if (id === '') throw new NotConnectable(`the environment variable ${idVariable} is not set`);
    return { client_id: id, ...(secret === '' ? {} : { client_secret: secret }) };
  };
  return [{ name, url, wanted, fetch, clientOf }];
}

/** A client of the configuration is looked up there each time, and its secret stands nowhere else. */
export const withoutConfigured = (server: OauthServer, client: RegisteredClient): RegisteredClient =>
  server.clientOf() === undefined ? client : { client_id: client.client_id };

/** The secrets with the client that the configuration has now. */
export const withClient = (server: OauthServer, secrets: AccountSecrets): AccountSecrets => ({
  ...secrets,
  client: server.clientOf() ?? secrets.client,
});

/** @throws DomainError for whatever goes wrong there; nothing of what a stranger wrote is in it. */
export async function asked<T>({ name }: Pick<OauthServer, 'name'>, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const what = `the account at ${name} cannot be connected`;
    if (error instanceof NotConnectable) throw failedPrecondition(`${what}: ${error.message}`);
    const kind = kindOf(error);
    const isAway = error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');
    if (isAway) throw unavailable(`${what} now: its authorization server does not answer (${kind}); try again`);
    throw failedPrecondition(`${what}: its authorization server does not do it as it should (${kind})`);
  }
}

/** What cannot be had by asking again. */
export function isOver({ code }: OAuthError): boolean {
  return [OAuthErrorCode.InvalidGrant, OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient].some(
    (one) => one === code,
  );
}

/** What went wrong, by its kind alone: what an authorization server writes may repeat a secret. */
export function kindOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && /^\w{1,60}$/u.test(error.code))
    return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

/** The host of an address, for people. */
export const hostOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).host : 'its authorization server';
