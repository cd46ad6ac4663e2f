import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export const clientId = 'stopgo-web';
export const clientSecret = 'a secret of the client, 40 characters..';
export const resource = 'urn:stopgo:gateway';
export const audience = 'stopgo';

/** An OpenID provider on loopback, and what a test has it do. */
export type IdentityProvider = {
  readonly issuer: string;
  /** Who signs in next. */
  person: string;
  /** Claims that its tokens have besides. */
  more: Readonly<Record<string, unknown>>;
  /** Answers every request with this status, instead of what it is for. */
  fails: number | undefined;
  /** The grants that were asked of its token endpoint, in order. */
  readonly grants: string[];
  /** The requests that its other endpoints have had, in order. */
  readonly asked: string[];
  stop(): Promise<void>;
};

/** How long its tokens of access live, in seconds. */
export const tokenSeconds = 300;

/** Starts one. It signs everybody in at once, rotates refresh tokens, and ends a sign-in whose refresh token comes twice. */
export async function startIdentityProvider(appUrl: string): Promise<IdentityProvider> {
  let handle: (req: IncomingMessage, res: ServerResponse) => unknown = () => undefined;
  const server = createServer((req, res) => void handle(req, res));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const idp: IdentityProvider = {
    ...{ issuer, person: 'ada', more: {}, fails: undefined, grants: [], asked: [] },
    stop: () => stop(server),
  };
  const provider = providerOf(issuer, appUrl, idp);
  const answer = provider.callback();
  handle = (req, res) => {
    idp.asked.push(`${req.method} ${req.url}`);
    if (idp.fails !== undefined) return res.writeHead(idp.fails).end('{}');
    if (!req.url?.startsWith('/interaction/')) return answer(req, res);
    return provider.interactionFinished(req, res, { login: { accountId: idp.person } });
  };
  return idp;
}

function providerOf(issuer: string, appUrl: string, idp: IdentityProvider): Provider {
  const claimsOf = (id: string) => ({ email: `${id}@x.example`, email_verified: true, name: id });
  /** What each person has let the app have. */
  const grants = new Map<string, string>();
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret, response_types: ['code'] },
        ...{ grant_types: ['authorization_code', 'refresh_token'], redirect_uris: [`${appUrl}/login/callback`] },
        post_logout_redirect_uris: [`${appUrl}/`],
      },
    ],
    pkce: { required: () => true },
    cookies: { keys: ['k'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...claimsOf(id) }) }),
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          ...{ scope: 'openid email', audience, accessTokenFormat: 'jwt', accessTokenTTL: tokenSeconds },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_: unknown, { accountId }: { accountId: string }) => ({ ...claimsOf(accountId), ...idp.more }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    loadExistingGrant: async ({ oidc }: { oidc: { session: { accountId: string } } }) => {
      const { accountId } = oidc.session;
      const before = await provider.Grant.find(grants.get(accountId) ?? '');
      if (before !== undefined) return before;
      const grant = new provider.Grant({ clientId, accountId });
      grant.addOIDCScope('openid email profile');
      grant.addResourceScope(resource, 'openid email');
      grants.set(accountId, await grant.save());
      return grant;
    },
  });
  provider.on('grant.success', ({ oidc }: { oidc: { params: { grant_type: string } } }) =>
    idp.grants.push(oidc.params.grant_type),
  );
  return provider;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
