import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';

const clientId = 'stopgo-web';
const resource = 'urn:stopgo:gateway';
const audience = 'stopgo';

/** An OpenID provider on loopback, where people write who they are. */
export type IdentityProvider = {
  readonly issuer: string;
  /** Lines of the section `login`, for the app at that address. */
  readonly login: string;
  /** The part `jwt` of `auth`, for the platform. */
  readonly jwt: string;
  /** How often tokens were renewed. */
  renewals(): number;
  stop(): Promise<void>;
};

const form = `<!doctype html><html lang="en"><title>Example</title>
<form method="post"><label>Name <input name="account"></label> <button>Continue</button></form>`;

/** Starts one for an app. `tokenSeconds`: how long what it gives is taken. */
export async function startIdentityProvider(appUrl: string, tokenSeconds = 300): Promise<IdentityProvider> {
  let handle: (req: IncomingMessage, res: ServerResponse) => unknown = () => undefined;
  const server = createServer((req, res) => void handle(req, res));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claimsOf = (id: string) => ({ email: `${id}@x.example`, email_verified: true, name: id });
  let renewals = 0;
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, token_endpoint_auth_method: 'none', response_types: ['code'] },
        ...{ grant_types: ['authorization_code', 'refresh_token'], redirect_uris: [`${appUrl}/login/callback`] },
        post_logout_redirect_uris: [`${appUrl}/`],
      },
    ],
    cookies: { keys: ['k'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...claimsOf(id) }) }),
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: {
        // Its own page asks another host for a font.
        logoutSource: (ctx: { body: string }, hidden: string) => {
          ctx.body = `<!doctype html><html lang="en"><title>Example</title>${hidden}
<button type="submit" form="op.logoutForm" value="yes" name="logout">Yes, sign me out</button>`;
        },
      },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          ...{ scope: 'openid email', audience, accessTokenFormat: 'jwt', accessTokenTTL: tokenSeconds },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_: unknown, { accountId }: { accountId: string }) => claimsOf(accountId),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    loadExistingGrant: async ({ oidc }: { oidc: { session: { accountId: string } } }) => {
      const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      grant.addResourceScope(resource, 'openid email');
      await grant.save();
      return grant;
    },
  });
  provider.on('grant.success', ({ oidc }: { oidc: { params: { grant_type: string } } }) => {
    if (oidc.params.grant_type === 'refresh_token') renewals += 1;
  });
  const answer = provider.callback();
  handle = async (req, res) => {
    if (!req.url?.startsWith('/interaction/')) return answer(req, res);
    if (req.method === 'GET') return res.writeHead(200, { 'content-type': 'text/html' }).end(form);
    const accountId = new URLSearchParams(await text(req)).get('account') ?? '';
    return provider.interactionFinished(req, res, { login: { accountId } });
  };
  return {
    issuer,
    login: `
  issuer: ${issuer}
  name: Example
  client_id: ${clientId}
  session_key_env: SESSION_KEY
  resource: ${resource}
  public_url: ${appUrl}`,
    jwt: `{ issuer: ${issuer}, audience: ${audience}, keys_url: ${issuer}/jwks, clock_skew: 0s }`,
    renewals: () => renewals,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
