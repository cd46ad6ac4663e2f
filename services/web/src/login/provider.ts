import { isLoopback } from '@stopgo/security';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
  tokenRevocation,
} from 'openid-client';
import { clockToleranceSeconds, providerTimeoutMs } from '../bounds.ts';
import type { Login } from './secrets.ts';
import { personOf, type Tokens } from './session.ts';

/** What a browser that leaves for the provider has to bring back, and what only it may bring. */
export type Begun = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** Who came back, with what. */
export type Arrived = { readonly person: string; readonly tokens: Tokens };

/**
 * The provider did not do what it was asked. `refused`: it, or what it said, will be no different the next time; `away`: nobody knows. The
 * message is ours, and holds nothing of what was sent or answered but a code of the protocol.
 */
export class ProviderFailure extends Error {
  readonly kind: 'refused' | 'away';
  constructor(kind: 'refused' | 'away', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** An OpenID provider, which is asked what it is at the first use. Everything throws {@link ProviderFailure}. */
export class Provider {
  readonly #login: Pick<Login, 'config' | 'clientSecret'>;
  readonly #redirectUri: string;
  readonly #now: () => number;
  #found: Promise<Configuration> | undefined;

  /** `now`: milliseconds since 1970. */
  constructor(login: Pick<Login, 'config' | 'clientSecret'>, now: () => number) {
    this.#login = login;
    this.#now = now;
    this.#redirectUri = `${login.config.publicUrl}/login/callback`;
  }

  /** Where a browser is sent to sign in, and what it has to bring back. */
  async begin(): Promise<{ readonly url: URL; readonly begun: Begun }> {
    const begun = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const config = await this.#configuration();
    const url = buildAuthorizationUrl(config, {
      ...{ redirect_uri: this.#redirectUri, scope: this.#login.config.scopes.join(' ') },
      ...{ state: begun.state, nonce: begun.nonce, code_challenge_method: 'S256' },
      code_challenge: await calculatePKCECodeChallenge(begun.verifier),
      ...this.#resource(),
    });
    return { url, begun };
  }

  /** Takes the code that a browser has come back with. `query`: all that the provider has sent along, with its question mark. */
  async finish(query: string, { state, nonce, verifier }: Begun): Promise<Arrived> {
    const config = await this.#configuration();
    const answer = await asking(() =>
      authorizationCodeGrant(
        config,
        new URL(`${this.#redirectUri}${query}`),
        { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        this.#resource(),
      ),
    );
    const claims = answer.claims();
    if (claims === undefined) throw new ProviderFailure('refused', 'it did not say who signed in');
    return { person: personOf(claims.iss, claims.sub), tokens: this.#tokensIn(answer) };
  }

  /** Tokens in place of those before, of the same person. */
  async renew(refreshToken: string, person: string): Promise<Tokens> {
    const config = await this.#configuration();
    const answer = await asking(() => refreshTokenGrant(config, refreshToken, this.#resource()));
    const claims = answer.claims();
    if (claims !== undefined && personOf(claims.iss, claims.sub) !== person)
      throw new ProviderFailure('refused', 'its answer was of somebody else');
    return this.#tokensIn(answer);
  }

  /** Ends a refresh token, where the provider has a way to. */
  async revoke(refreshToken: string): Promise<void> {
    const config = await this.#configuration();
    if (config.serverMetadata().revocation_endpoint === undefined) return;
    await asking(() => tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' }));
  }

  /** Where a browser ends its session at the provider; undefined where there is no such place. */
  async endOfSession(idToken: string | undefined): Promise<URL | undefined> {
    const config = await this.#configuration();
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
    return buildEndSessionUrl(config, {
      post_logout_redirect_uri: `${this.#login.config.publicUrl}/`,
      ...(idToken === undefined ? {} : { id_token_hint: idToken }),
    });
  }

  /** A provider that was away is asked again the next time. */
  #configuration(): Promise<Configuration> {
    this.#found ??= asking(() => this.#discover()).catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId } = this.#login.config;
    const url = new URL(issuer);
    const isPlain = url.protocol === 'http:' && isLoopback(url.hostname);
    return discovery(url, clientId, { [clockTolerance]: clockToleranceSeconds }, this.#clientAuth(), {
      // What it signs is checked, beside whom it was fetched from.
      execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
      timeout: providerTimeoutMs / 1_000,
    });
  }

  /** As the provider wants it: the header that all have to know, or the body where it names that alone. */
  #clientAuth(): ClientAuth {
    const { clientSecret } = this.#login;
    if (clientSecret === undefined) return None();
    const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
    return (server, client, body, headers) => {
      const known = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const way = !known.includes('client_secret_basic') && known.includes('client_secret_post') ? post : basic;
      return way(server, client, body, headers);
    };
  }

  #resource(): Record<string, string> {
    const { resource } = this.#login.config;
    return resource === undefined ? {} : { resource };
  }

  #tokensIn(answer: TokenEndpointResponse & TokenEndpointResponseHelpers): Tokens {
    const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = answer;
    const isIdToken = this.#login.config.token === 'id_token';
    if (isIdToken && idToken === undefined) throw new ProviderFailure('refused', 'it gave no new ID token');
    const secondsLeft = answer.expiresIn();
    const tokenUntil = isIdToken
      ? (answer.claims()?.exp ?? 0) * 1_000
      : secondsLeft === undefined
        ? undefined
        : this.#now() + secondsLeft * 1_000;
    return {
      token: isIdToken ? (idToken ?? '') : accessToken,
      ...(tokenUntil === undefined ? {} : { tokenUntil }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(idToken === undefined ? {} : { idToken }),
    };
  }
}

/** Codes of the protocol, and nothing that somebody could have put a secret into. */
const protocolCode = /^[a-z_]{1,64}$/;

async function asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const isAway = error instanceof ResponseBodyError && error.status >= 500;
    const code = protocolCode.test(error.error) ? error.error : 'an error';
    return new ProviderFailure(isAway ? 'away' : 'refused', `it answered ${code}`);
  }
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  // Only an answer that came, and was not taken, has one of these.
  if (typeof code === 'string' && /^OAUTH_(?!TIMEOUT|ABORT)/.test(code)) {
    const isAway = code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && cause instanceof Response && cause.status >= 500;
    return new ProviderFailure(isAway ? 'away' : 'refused', `what it answered was not taken (${code})`);
  }
  return new ProviderFailure('away', 'it does not answer');
}
