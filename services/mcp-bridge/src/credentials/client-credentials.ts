// The token that an authorization server gives this platform for one tool server:
//
// 1. It is had once and used until shortly before it ends; whoever needs it meanwhile waits for the same request.
// 2. A 401 with it has it renewed and the request made once more. A second 401 is the answer: a request that is refused did
//    not run, so repeating it once is no second call.
// 3. The secret goes to one authorization server only: the configured issuer, or the configured token endpoint.
import {
  auth,
  ClientCredentialsProvider,
  extractWWWAuthenticateParams,
  type FetchLike,
  fetchToken,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import type { BridgeBounds } from '../bounds.ts';
import { LoginFailed } from '../failures.ts';
import { tokensHidden } from './bearer.ts';

/** Who logs in where. */
export type ClientAccount = {
  readonly serverName: string;
  readonly serverUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The only authorization server that may be shown the secret; absent if `tokenUrl` is given. */
  readonly issuer?: string;
  /** Where tokens are had, without looking anything up. */
  readonly tokenUrl?: string;
  readonly scope?: string;
};

/** What logging in needs. */
export type LoginDependencies = {
  readonly bounds: Pick<BridgeBounds, 'loginEarlyMs' | 'loginTokenMs' | 'loginPauseMs'>;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  readonly fetch: FetchLike;
};

type Token = { readonly text: string; readonly until: number };

const unauthorized = 401;

/** The login of one tool server, and its token while it is good. */
export class ClientCredentials {
  readonly #account: ClientAccount;
  readonly #dependencies: LoginDependencies;
  #token: Token | undefined;
  #asking: Promise<Token> | undefined;
  /** Tokens that the server was shown lately, so that they can be taken out of what it says. */
  #shown: string[] = [];
  #clean: (text: string) => string;
  #failed: { readonly error: LoginFailed; readonly until: number } | undefined;

  constructor(account: ClientAccount, dependencies: LoginDependencies) {
    this.#account = account;
    this.#dependencies = dependencies;
    this.#clean = tokensHidden(account.clientSecret);
  }

  /** The text without the tokens and the secret. */
  clean(text: string): string {
    return this.#clean(text);
  }

  /** The same `fetch`, with the token in its requests. It throws LoginFailed, before anything is sent, if none is to be had. */
  around(next: FetchLike): FetchLike {
    return async (url, init) => {
      const token = await this.#current();
      const answer = await next(url, withToken(init, token));
      if (answer.status !== unauthorized) return answer;
      await answer.body?.cancel().catch(() => undefined);
      // Whoever else was refused with the same token waits for the same new one.
      if (this.#token === token) this.#token = undefined;
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
      return next(url, withToken(init, await this.#current({ resourceMetadataUrl, scope })));
    };
  }

  async #current(hint: Hint = {}): Promise<Token> {
    const { clock, bounds } = this.#dependencies;
    if (this.#token !== undefined && clock() < this.#token.until) return this.#token;
    if (this.#failed !== undefined && clock() < this.#failed.until) throw this.#failed.error;
    this.#asking ??= this.#ask(hint).finally(() => {
      this.#asking = undefined;
    });
    try {
      return await this.#asking;
    } catch (error) {
      const failed = error instanceof LoginFailed ? error : new LoginFailed(this.#sentence(error), isOutOfReach(error));
      // A server that is called often does not make us knock there as often.
      this.#failed = { error: failed, until: clock() + bounds.loginPauseMs };
      throw failed;
    }
  }

  async #ask(hint: Hint): Promise<Token> {
    const { clock, bounds } = this.#dependencies;
    const began = clock();
    const tokens = await this.#login(hint);
    const { access_token: text, expires_in: seconds } = tokens;
    const lives = seconds === undefined ? bounds.loginTokenMs : seconds * 1_000;
    // Of one that ends soon anyway half the time is used.
    const token = { text, until: began + Math.max(lives / 2, lives - bounds.loginEarlyMs) };
    this.#token = token;
    this.#shown = [text, ...this.#shown.filter((one) => one !== text)].slice(0, 2);
    this.#clean = tokensHidden(this.#account.clientSecret, ...this.#shown);
    this.#failed = undefined;
    return token;
  }

  async #login({ resourceMetadataUrl, scope: wanted }: Hint): Promise<OAuthTokens> {
    const { serverUrl, clientId, clientSecret, issuer, tokenUrl, scope = wanted } = this.#account;
    const fetchFn = this.#dependencies.fetch;
    const asked = { clientId, clientSecret, ...(scope === undefined ? {} : { scope }) };
    if (tokenUrl !== undefined) {
      const origin = issuer ?? new URL(tokenUrl).origin;
      const metadata = {
        issuer: origin,
        token_endpoint: tokenUrl,
        authorization_endpoint: tokenUrl,
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      };
      const provider = new ClientCredentialsProvider({ ...asked, expectedIssuer: origin });
      const place = { metadata, resource: resourceOf(serverUrl), fetchFn };
      return fetchToken(provider, origin, scope === undefined ? place : { ...place, scope });
    }
    const provider = new ClientCredentialsProvider({ ...asked, expectedIssuer: issuer ?? '' });
    const place = { serverUrl, fetchFn, ...(scope === undefined ? {} : { scope }) };
    await auth(provider, resourceMetadataUrl === undefined ? place : { ...place, resourceMetadataUrl });
    const tokens = provider.tokens();
    if (tokens === undefined) throw new Error('no token was given');
    return tokens;
  }

  /** What an authorization server writes may repeat the secret, so nothing of it is shown but its kind. */
  #sentence(error: unknown): string {
    const { serverName, tokenUrl, issuer = '' } = this.#account;
    const where = new URL(tokenUrl ?? issuer).host;
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    const kind = code ?? (error instanceof Error ? error.name : 'unknown');
    return `no token for the server "${serverName}" was to be had at ${where} (${kind})`;
  }
}

/** What `fetch` throws where nobody answers, or an answer that is no word of the protocol. */
function isOutOfReach(error: unknown): boolean {
  if (error instanceof OAuthError) return error.code === OAuthErrorCode.ServerError;
  return error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');
}

type Hint = { readonly resourceMetadataUrl?: URL | undefined; readonly scope?: string | undefined };

function withToken(init: RequestInit | undefined, { text }: Token): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${text}`);
  return { ...init, headers };
}

/** The server as it is named to the authorization server: its address without a fragment. */
function resourceOf(serverUrl: string): URL {
  const url = new URL(serverUrl);
  url.hash = '';
  return url;
}
