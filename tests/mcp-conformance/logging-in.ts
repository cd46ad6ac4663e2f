import {
  type AuthOptions,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
  isStrictScopeSuperset,
  type Middleware,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client';

/** Times that one request asks for more rights. */
const stepsMax = 3;

/** A person who lets the agent in wherever it is sent to, and a client that keeps what it is given there. */
class Visitor implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:3000/callback';
  readonly clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  readonly #registered: OAuthClientInformationMixed | undefined;
  readonly #clients = new Map<string, OAuthClientInformationMixed>();
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  callback: URLSearchParams | undefined;

  constructor(registered: OAuthClientInformationMixed | undefined) {
    this.#registered = registered;
  }

  get clientMetadata(): OAuthClientMetadata {
    return { client_name: 'stop-and-go', redirect_uris: [this.redirectUrl] };
  }

  clientInformation(at?: { readonly issuer?: string | undefined }): OAuthClientInformationMixed | undefined {
    return this.#registered ?? this.#clients.get(at?.issuer ?? '');
  }

  saveClientInformation(client: OAuthClientInformationMixed, at?: { readonly issuer?: string | undefined }): void {
    this.#clients.set(at?.issuer ?? '', client);
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const { headers } = await fetch(url, { redirect: 'manual' });
    this.callback = new URL(headers.get('location') ?? '', url).searchParams;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

/** Logs in where a server asks for it, and again with more rights where they do not suffice. */
export function loggingIn(
  serverUrl: string,
  { client_id, client_secret }: { readonly client_id?: string; readonly client_secret?: string },
): Middleware {
  const visitor = new Visitor(client_id === undefined ? undefined : { client_id, client_secret });
  return (next) => async (input, init) => {
    for (let steps = 0; ; steps += 1) {
      const response = await next(input, withToken(init, visitor.tokens()));
      if (steps === stepsMax || !(await letIn(response, visitor, serverUrl, next))) return response;
    }
  };
}

/** True if there is a token now that is worth another try. */
async function letIn(response: Response, visitor: Visitor, serverUrl: string, fetchFn: FetchLike): Promise<boolean> {
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  const wantsMore = response.status === 403 && error === 'insufficient_scope';
  if (response.status !== 401 && !wantsMore) return false;
  const held = visitor.tokens()?.scope;
  const asked = wantsMore ? computeScopeUnion(held, scope) : scope;
  const forceReauthorization = wantsMore && isStrictScopeSuperset(asked, held);
  const place: AuthOptions = {
    serverUrl,
    fetchFn,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(asked === undefined ? {} : { scope: asked }),
  };
  if ((await auth(visitor, { ...place, forceReauthorization })) === 'AUTHORIZED') return true;
  const authorizationCode = visitor.callback?.get('code') ?? '';
  const iss = visitor.callback?.get('iss') ?? undefined;
  const back = { authorizationCode, ...(iss === undefined ? {} : { iss }) };
  return (await auth(visitor, { ...place, ...back })) === 'AUTHORIZED';
}

function withToken(init: RequestInit | undefined, tokens: OAuthTokens | undefined): RequestInit {
  const headers = new Headers(init?.headers);
  if (tokens !== undefined) headers.set('authorization', `Bearer ${tokens.access_token}`);
  return { ...init, headers };
}
