import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';

/** A call as it arrived at the tool server, with a token that it takes. */
export type MadeCall = { readonly tool: string; readonly account: string };

export type AccountServerOptions = {
  /** How long what the authorization server gives is taken. */
  readonly tokenSeconds?: number;
  /** Whether the tool server refuses everything without a token, also the handshake and the list of tools. */
  readonly guardsAll?: boolean;
  /** Changes what it says of itself. */
  readonly metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
};

/** A tool server whose users log in at an authorization server beside it, both on loopback. */
export type AccountServer = {
  readonly url: string;
  readonly issuer: string;
  /** Calls that were made: what is refused is not among them. */
  readonly calls: MadeCall[];
  /** Calls of tools that were refused. */
  readonly refused: () => number;
  readonly refreshes: () => number;
  readonly registrations: () => number;
  readonly revocations: () => number;
  /** Every token that was given, of both kinds. */
  readonly tokens: string[];
  /** Who the browser is that comes next. */
  account: string;
  /** From now on refuses to refresh. */
  refusesRefresh: boolean;
  /** No token that was given is taken any more; refresh tokens are. */
  forgetAccessTokens(): void;
  /** Opens an address as a browser does, whose user agrees to all; gives the address that it is led back to. */
  agree(address: string): Promise<string>;
  stop(): Promise<void>;
};

const schema = { type: 'object', properties: {} };
const offered = [
  { name: 'read', description: 'Reads notes', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'write', description: 'Writes a note', inputSchema: schema, annotations: { destructiveHint: false } },
];

type Message = { readonly id?: number; readonly method: string; readonly params?: { readonly name?: string } };

export async function accountServer({
  tokenSeconds = 300,
  guardsAll = false,
  metadata = (said) => said,
}: AccountServerOptions = {}): Promise<AccountServer> {
  const stops: (() => Promise<void>)[] = [];
  const listen = async (handle: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<string> => {
    const server = createServer((req, res) => void handle(req, res));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    stops.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const counts = { refused: 0, refreshes: 0, registrations: 0, revocations: 0 };
  let taken = new Set<string>();
  const tokens: string[] = [];
  let answer: (req: IncomingMessage, res: ServerResponse) => unknown = () => undefined;
  const issuer = await listen((req, res) => answer(req, res));
  const provider: Provider = new Provider(issuer, {
    cookies: { keys: ['k'] },
    scopes: ['openid', 'offline_access', 'notes'],
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          ...{ scope: 'notes', audience: resource, accessTokenFormat: 'opaque', accessTokenTTL: tokenSeconds },
        }),
      },
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    loadExistingGrant: async ({
      oidc: { client, session, params },
    }: {
      oidc: { client: { clientId: string }; session: { accountId: string }; params: { resource?: string } };
    }) => {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid offline_access notes');
      if (params.resource !== undefined) grant.addResourceScope(params.resource, 'notes');
      await grant.save();
      return grant;
    },
  });
  provider.on(
    'grant.success',
    ({
      oidc,
      body,
    }: {
      oidc: { params: { grant_type: string } };
      body: { access_token: string; refresh_token?: string };
    }) => {
      if (oidc.params.grant_type === 'refresh_token') counts.refreshes += 1;
      taken.add(body.access_token);
      tokens.push(body.access_token, ...(body.refresh_token === undefined ? [] : [body.refresh_token]));
    },
  );
  provider.on('registration_create.success', () => {
    counts.registrations += 1;
  });
  provider.on('grant.revoked', () => {
    counts.revocations += 1;
  });
  const calls: MadeCall[] = [];
  const callback = provider.callback();
  const server: AccountServer = {
    url: '',
    issuer,
    calls,
    tokens,
    account: 'ann',
    refusesRefresh: false,
    refused: () => counts.refused,
    refreshes: () => counts.refreshes,
    registrations: () => counts.registrations,
    revocations: () => counts.revocations,
    forgetAccessTokens: () => {
      taken = new Set();
    },
    agree: (address) => agree(address, issuer),
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
  answer = async (req, res) => {
    if (req.url?.startsWith('/interaction/')) {
      const { prompt } = await provider.interactionDetails(req, res);
      const result = prompt.name === 'login' ? { login: { accountId: server.account } } : { consent: {} };
      return provider.interactionFinished(req, res, result, { mergeWithLastSubmission: true });
    }
    if (req.url === '/.well-known/openid-configuration') {
      const said = (await (await fetch(`${issuer}/.well-known/openid-configuration?raw`)).json()) as Record<
        string,
        unknown
      >;
      return json(res, metadata(said));
    }
    if (req.url === '/token' && server.refusesRefresh) {
      const form = new URLSearchParams(await text(req));
      return json(
        res,
        {
          error: form.get('grant_type') === 'refresh_token' ? 'invalid_grant' : 'server_error',
          error_description: `no: ${form}`,
        },
        400,
      );
    }
    return callback(req, res);
  };
  const accountOf = async (req: IncomingMessage, resource: string): Promise<string | undefined> => {
    const token = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
    const known = taken.has(token) ? await provider.AccessToken.find(token) : undefined;
    // What was given for another server is no token here.
    return known?.aud === resource && !known.isExpired ? known.accountId : undefined;
  };
  const own: string = await listen(async (req, res) => {
    const resource = `${own}/mcp`;
    if (req.url?.startsWith('/.well-known/oauth-protected-resource'))
      return json(res, { resource, authorization_servers: [issuer], scopes_supported: ['notes'] });
    if (req.url !== '/mcp' || req.method !== 'POST') return void res.writeHead(req.url === '/mcp' ? 405 : 404).end();
    const { id, method, params } = JSON.parse(await text(req)) as Message;
    const account = await accountOf(req, resource);
    const isCall = method === 'tools/call';
    if (account === undefined && (isCall || guardsAll || method === 'ping')) {
      if (isCall) counts.refused += 1;
      const where = `Bearer resource_metadata="${own}/.well-known/oauth-protected-resource/mcp"`;
      return void res.writeHead(401, { 'www-authenticate': where }).end();
    }
    if (id === undefined) return void res.writeHead(202).end();
    const say = (result: object) => json(res, { jsonrpc: '2.0', id, result });
    if (method === 'initialize')
      return say({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'notes', version: '1' },
      });
    if (method === 'tools/list') return say({ tools: offered });
    if (!isCall) return json(res, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    const tool = params?.name ?? '';
    calls.push({ tool, account: account ?? '' });
    // A server that repeats what it was shown must not give it away.
    return say({ content: [{ type: 'text', text: `${tool} done for ${account} with ${req.headers.authorization}` }] });
  });
  return Object.assign(server, { url: `${own}/mcp` });
}

function json(res: ServerResponse, body: object, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Follows redirects with cookies as long as they stay at the authorization server. */
async function agree(address: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let at = address, hops = 0; hops < 20; hops++) {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const response = await fetch(at, { redirect: 'manual', headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const to = response.headers.get('location');
    if (to === null) throw new Error(`the authorization server answered ${response.status}: ${await response.text()}`);
    at = new URL(to, at).href;
    if (!at.startsWith(issuer)) return at;
  }
  throw new Error('the authorization server leads nowhere');
}
