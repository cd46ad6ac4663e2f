// What is said by an authorization server, and by the tool server that names it, is a stranger's word: it decides neither where a browser of
// ours is sent nor what is asked for, before it was looked at here.
import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  resourceUrlFromServerUrl,
  selectResourceURL,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { isLoopback } from '@stopgo/security';
import { isHeaderToken } from '../credentials/bearer.ts';
import type { AccountSecrets, RegisteredClient, TokenIssuer } from './sealed-account.ts';

/** Why an account cannot be connected, in words that hold nothing of what a stranger wrote. */
export class NotConnectable extends Error {
  override readonly name = 'NotConnectable';
}

/** The authorization server of a tool server, and what is to be asked for there. */
export type Found = {
  readonly url: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly resource: string;
  readonly scope: string;
};

/** What the configuration says of it. */
export type Wanted = { readonly serverUrl: string; readonly issuer?: string; readonly scope?: string };

/**
 * Finds out where users of a tool server log in: as it says when it refuses a request, or at the well-known places.
 *
 * @throws NotConnectable for what is not taken; else what `fetch` throws.
 */
export async function findAuthorizationServer(wanted: Wanted, fetch: FetchLike): Promise<Found> {
  const { serverUrl } = wanted;
  const challenge = await challengeOf(serverUrl, fetch);
  const { resourceMetadataUrl } = challenge;
  const found = await discoverOAuthServerInfo(serverUrl, {
    fetchFn: fetch,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  });
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (metadata === undefined) throw new NotConnectable('it names no authorization server that describes itself');
  checkMetadata(metadata, wanted);
  const chosen = await selectResourceURL(serverUrl, {} as never, resourceMetadata).catch(() => {
    throw new NotConnectable('it says that it is another server than the one at its address');
  });
  const resource =
    chosen === undefined ? resourceUrlFromServerUrl(serverUrl).href : (resourceMetadata?.resource ?? chosen.href);
  const named = wanted.scope ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(' ') ?? '';
  return { url: String(url), metadata, resource, scope: withRefresh(named, metadata) };
}

/**
 * The same server again, when its user comes back from it.
 *
 * @throws as {@link findAuthorizationServer}.
 */
export async function findAgain(url: string, wanted: Wanted, fetch: FetchLike): Promise<AuthorizationServerMetadata> {
  const metadata = await discoverAuthorizationServerMetadata(url, { fetchFn: fetch });
  if (metadata === undefined) throw new NotConnectable('its authorization server does not describe itself any more');
  checkMetadata(metadata, wanted);
  return metadata;
}

/** Registers this platform as a client (RFC 7591). @throws NotConnectable if that is not offered; else what `fetch` throws. */
export async function register(
  { url, metadata, scope }: Found,
  redirectUri: string,
  fetch: FetchLike,
): Promise<RegisteredClient> {
  if (metadata.registration_endpoint === undefined)
    throw new NotConnectable(
      'its authorization server registers no clients; register one there and set client_id_env (and client_secret_env)',
    );
  const { client_id, client_secret, token_endpoint_auth_method } = await registerClient(url, {
    metadata,
    clientMetadata: {
      client_name: 'Stop and Go',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: isLoopbackUrl(redirectUri) ? 'native' : 'web',
    },
    ...(scope === '' ? {} : { scope }),
    fetchFn: fetch,
  });
  return {
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(token_endpoint_auth_method === undefined ? {} : { token_endpoint_auth_method }),
  };
}

/** The address that the user opens, and what proves later that the same one goes on. */
export async function authorizationOf(
  { url, metadata, resource, scope }: Found,
  client: RegisteredClient,
  redirectUri: string,
): Promise<{ readonly url: URL; readonly codeVerifier: string }> {
  const { authorizationUrl, codeVerifier } = await startAuthorization(url, {
    metadata,
    clientInformation: client,
    redirectUrl: redirectUri,
    resource,
    ...(scope === '' ? {} : { scope }),
  });
  return { url: authorizationUrl, codeVerifier };
}

/** What somebody came back with. */
export type CameBack = { readonly code: string; readonly issuer: string };

/** Takes the tokens for a code. @throws NotConnectable for tokens that cannot be used; else what the SDK throws. */
export async function exchange(
  begun: {
    readonly authorizationServer: string;
    readonly client: RegisteredClient;
    readonly codeVerifier: string;
    readonly redirectUri: string;
    readonly resource: string;
  },
  { code, issuer }: CameBack,
  metadata: AuthorizationServerMetadata,
  fetch: FetchLike,
): Promise<OAuthTokens> {
  const { authorizationServer, client, codeVerifier, redirectUri, resource } = begun;
  const tokens = await exchangeAuthorization(authorizationServer, {
    metadata,
    clientInformation: client,
    authorizationCode: code,
    ...(issuer === '' ? {} : { iss: issuer }),
    codeVerifier,
    redirectUri,
    resource,
    fetchFn: fetch,
  });
  return checkTokens(tokens);
}

/** Other tokens for the refresh token, which is spent then. @throws as {@link exchange}. */
export async function refresh(
  { client, issuer, resource }: AccountSecrets,
  refreshToken: string,
  fetch: FetchLike,
): Promise<OAuthTokens> {
  const tokens = await refreshAuthorization(issuer.url, {
    metadata: knownMetadata(issuer),
    clientInformation: client,
    refreshToken,
    resource,
    fetchFn: fetch,
  });
  return checkTokens(tokens);
}

/** Tells the authorization server that a token is not used any more (RFC 7009). Never rejects: the key of the token is destroyed anyway. */
export async function revoke(
  { client, issuer, accessToken, refreshToken }: AccountSecrets,
  fetch: FetchLike,
): Promise<void> {
  if (issuer.revocationEndpoint === undefined) return;
  const form = new URLSearchParams({
    token: refreshToken ?? accessToken,
    token_type_hint: refreshToken === undefined ? 'access_token' : 'refresh_token',
    client_id: client.client_id,
  });
  if (client.client_secret !== undefined) form.set('client_secret', client.client_secret);
  await fetch(issuer.revocationEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  }).catch(() => undefined);
}

/** What is kept of an authorization server. */
export function issuerOf(url: string, metadata: AuthorizationServerMetadata): TokenIssuer {
  const { issuer, token_endpoint, token_endpoint_auth_methods_supported: methods } = metadata;
  const revocation = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  return {
    ...{ issuer, url, tokenEndpoint: token_endpoint },
    ...(typeof revocation === 'string' && isSecure(revocation, issuer) ? { revocationEndpoint: revocation } : {}),
    ...(methods === undefined ? {} : { authMethods: methods }),
  };
}

function knownMetadata({ issuer, tokenEndpoint, authMethods }: TokenIssuer): AuthorizationServerMetadata {
  return {
    issuer,
    token_endpoint: tokenEndpoint,
    authorization_endpoint: issuer,
    response_types_supported: ['code'],
    ...(authMethods === undefined ? {} : { token_endpoint_auth_methods_supported: [...authMethods] }),
  };
}

async function challengeOf(
  serverUrl: string,
  fetch: FetchLike,
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  const answer = await fetch(serverUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  if (answer.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}

function checkMetadata(metadata: AuthorizationServerMetadata, { serverUrl, issuer }: Wanted): void {
  if (issuer !== undefined && withoutSlash(metadata.issuer) !== withoutSlash(issuer))
    throw new NotConnectable('it names another authorization server than the configured issuer');
  // Both revisions of MCP have a client go no further then.
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw new NotConnectable('its authorization server does not say that it knows PKCE (S256)');
  const near = issuer ?? serverUrl;
  for (const [name, address] of [
    ['authorization', metadata.authorization_endpoint],
    ['token', metadata.token_endpoint],
    ['registration', metadata.registration_endpoint],
  ] as const)
    if (address !== undefined && !isSecure(address, near))
      throw new NotConnectable(`the ${name} address of its authorization server is no https address`);
}

/** https, or http on this machine where the server itself is on it. */
function isSecure(address: string, near: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (isLoopbackUrl(address) && isLoopbackUrl(near));
}

/** True for an http address of this machine. */
export function isLoopbackUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && isLoopback(hostname);
}

const withoutSlash = (address: string): string => address.replace(/\/$/u, '');

/** Without `offline_access` some give no refresh token. */
function withRefresh(scope: string, { scopes_supported: offered }: AuthorizationServerMetadata): string {
  const asked = scope.split(' ').filter((one) => one !== '');
  const isOffered = offered?.includes('offline_access') ?? false;
  // Alone it would be all that is asked for, instead of what is usual there.
  if (!isOffered || asked.length === 0 || asked.includes('offline_access')) return asked.join(' ');
  return [...asked, 'offline_access'].join(' ');
}

function checkTokens(tokens: OAuthTokens): OAuthTokens {
  if (tokens.token_type.toLowerCase() !== 'bearer')
    throw new NotConnectable('its tokens are of a kind that is not supported');
  if (!isHeaderToken(tokens.access_token))
    throw new NotConnectable('its token holds characters that no token may have');
  return tokens;
}
