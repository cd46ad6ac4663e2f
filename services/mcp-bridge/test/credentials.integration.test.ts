import type { IncomingMessage, ServerResponse } from 'node:http';
import { mcp } from '@stopgo/proto';
import type { McpServerConfig } from '@stopgo/runtime';
import { expect, test } from 'vitest';
import { bridgeBounds } from '../src/bounds.ts';
import { ServerConnection } from '../src/servers/server-connection.ts';
import { EraCache } from '../src/session/era-cache.ts';
import { collectingLog, eventually, finishedOf, httpServer, refusedOf, startBridge } from './support/bridge.ts';
import { json, legacyServer, listen, textResult } from './support/http.ts';

const canary = 'canary-static-0123456789';
const secret = 'canary-secret-0123456789';
const environment = { TOOL_TOKEN: canary, CLIENT: 'the-client', SECRET: secret };
/** At a server that answers, which may take its time. */
const oneAttempt = { httpStartMs: 10_000, httpStartPauseMs: 10_000 };

type Http = Extract<McpServerConfig['transport'], { kind: 'http' }>;

function serverWith(url: string, more: Partial<Http>): McpServerConfig {
  return { ...httpServer('l', url), transport: { kind: 'http', url, auth: 'none', ...more } };
}

/** An authorization server whose tokens are numbered, and what it was asked. */
async function authority(lives = 60) {
  const asked: { readonly authorization: string | undefined; readonly body: URLSearchParams }[] = [];
  const shown: string[] = [];
  let count = 0;
  let broken = false;
  const http = await listen((request, response) => {
    shown.push(request.url ?? '');
    const origin = `http://${request.headers.host}`;
    if (request.url !== '/token') {
      const found = (request.url ?? '').startsWith('/.well-known/oauth-authorization-server');
      const metadata = {
        issuer: origin,
        token_endpoint: `${origin}/token`,
        authorization_endpoint: `${origin}/authorize`,
        response_types_supported: ['code'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      };
      return found ? json(response, metadata) : void response.writeHead(404).end();
    }
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      asked.push({ authorization: request.headers.authorization, body: new URLSearchParams(body) });
      if (broken)
        return void response
          .writeHead(401, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: 'invalid_client', error_description: `not you: ${secret}` }));
      count += 1;
      json(response, { access_token: `canary-issued-${count}-0123456789`, token_type: 'Bearer', expires_in: lives });
    });
  });
  const breakIt = () => {
    broken = true;
  };
  return { origin: http.url.replace(/\/mcp$/u, ''), asked, shown, breakIt };
}

/** A server that wants a token of that authority, and says where it is. */
async function guarded(isGood: (token: string) => boolean, authorityOrigin: string) {
  const answered = (request: IncomingMessage, response: ServerResponse) => {
    const origin = `http://${request.headers.host}`;
    if ((request.url ?? '').startsWith('/.well-known/oauth-protected-resource'))
      return json(response, { resource: `${origin}/mcp`, authorization_servers: [authorityOrigin] });
    if ((request.url ?? '').startsWith('/.well-known')) return void response.writeHead(404).end();
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    if (isGood(token)) return;
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(`no: ${token}`);
  };
  return legacyServer({ before: answered });
}

const issued = (token: string) => token.startsWith('canary-issued');

test('the token of one server is not repeated by another, and no call holds it', async () => {
  const server = await legacyServer({
    onCall: (_request, response, { id }) => json(response, textResult(id, `the others have ${canary}`)),
  });
  const owner = serverWith('http://127.0.0.1:1/mcp', { auth: 'static', tokenVariable: 'TOOL_TOKEN' });
  const { execute } = await startBridge(
    [serverWith(server.url, { auth: 'none' }), { ...owner, name: 'owner', onStartFailure: 'degrade' }],
    { environment },
  );
  expect(finishedOf(await execute('pay', {})).content).toBe('the others have [secret]');
  const sent = server.seen.length;
  const { content, isError } = finishedOf(await execute('pay', { deep: [`x${canary}`] }));
  expect([isError, content]).toEqual([true, expect.stringContaining('that the platform keeps secret')]);
  expect(content).not.toContain(canary);
  expect(server.seen.length).toBe(sent);
});

test('a token of the environment is in every request, and in nothing that comes out', async () => {
  let status = 200;
  const server = await legacyServer({
    onCall: (request, response, { id }) => {
      const said = `you are ${request.headers.authorization}`;
      if (status === 200) json(response, textResult(id, said));
      else response.writeHead(status).end(said);
    },
  });
  const config = serverWith(server.url, { auth: 'static', tokenVariable: 'TOOL_TOKEN' });
  const { execute, bridge, logText, client } = await startBridge([config], { environment });
  const outcomes = [await execute('pay', {}, { token: 'alice-token-0123456789' })];
  expect(finishedOf(outcomes[0] ?? { case: undefined }).content).toBe('you are Bearer [secret]');
  for (status of [403, 500, 401]) outcomes.push(await execute('pay', {}));
  expect(new Set(server.seen.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${canary}`]));
  expect(outcomes.at(-1)?.case).toBe('refused');
  expect(logText()).toContain('MCP server "l" refuses the credentials that it is configured with');
  const shown = [outcomes, bridge.describe(), (await client.listTools({})).tools, logText()];
  expect(JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toMatch(
    /canary|alice/,
  );
});

test.each(['initialize', 'tools/list'])(
  'credentials that %s is refused with are said to be, not wanted',
  async (refuses) => {
    const server = await legacyServer({
      before: (request, response, { method }) => {
        if (method === refuses) response.writeHead(401).end(`not ${request.headers.authorization}`);
      },
    });
    const config = serverWith(server.url, { auth: 'static', tokenVariable: 'TOOL_TOKEN' });
    const failure = String(await startBridge([config], { environment }).catch((error: unknown) => error));
    expect(failure).toMatch(
      /server "l": .*it refuses the credentials that it is configured with \(HTTP 401\); check the variables/,
    );
    expect(failure).not.toMatch(/canary|must allow/);
  },
);

test.each([
  ['as it is connected to', 'initialize'],
  ['as it is asked for its tools', 'tools/list'],
])('a server that repeats the token %s has it in nothing that is shown of it', async (_, refuses) => {
  const server = await legacyServer({
    before: (request, response, { id, method }) => {
      const message = `not with ${request.headers.authorization}`;
      if (method === refuses) json(response, { jsonrpc: '2.0', id, error: { code: -32_000, message } });
    },
  });
  const config = serverWith(server.url, { auth: 'static', tokenVariable: 'TOOL_TOKEN' });
  const { client, logText } = await startBridge([{ ...config, onStartFailure: 'degrade' }], {
    environment,
    bounds: { httpStartMs: 100, httpStartPauseMs: 20 },
  });
  const shown = await eventually(async () => {
    const [status] = (await client.listServers({})).servers;
    return status?.reason.includes('not with') ? status : undefined;
  }, 'what it answers is shown');
  expect(shown.reason).toContain('not with Bearer [secret]');
  expect(shown.lastError).toContain('not with Bearer [secret]');
  expect(shown.reason + shown.lastError + logText()).not.toContain('canary');
});

test.each([
  ['is not set', {}, 'the environment variable TOOL_TOKEN is not set'],
  ['could not be sent', { TOOL_TOKEN: 'canary\n-more' }, 'TOOL_TOKEN holds characters that no credential may have'],
])('a token that %s ends the start in one line that does not hold it', async (_, variables, line) => {
  const server = await legacyServer();
  const config = serverWith(server.url, { auth: 'static', tokenVariable: 'TOOL_TOKEN' });
  const failure = await startBridge([config], { environment: variables }).catch((error: unknown) => String(error));
  expect(failure).toContain(line);
  expect(failure).not.toContain('canary');
  expect(server.seen).toEqual([]);
});

test('a definition that repeats the token is left out', async () => {
  const leaky = { name: 'leak', description: `token ${canary}`, inputSchema: { type: 'object' } };
  const server = await legacyServer({
    before: (_request, response, { id, method }) => {
      if (method === 'tools/list') json(response, { jsonrpc: '2.0', id, result: { tools: [leaky] } });
    },
  });
  const config = serverWith(server.url, { auth: 'static', tokenVariable: 'TOOL_TOKEN' });
  const { tools, bridge } = await startBridge([config], { environment });
  expect(await tools()).toEqual([]);
  const reason = 'its definition repeats a credential that the server was shown';
  expect(bridge.describe()[0]).toMatchObject({
    problems: [`tool "leak": ${reason}; the tool is left out`],
    leftOut: [{ name: 'leak', reason }],
  });
});

test('a platform logs in at the authority that the server names, once for all calls, and anew before the token ends', async () => {
  const giver = await authority(60);
  const server = await guarded(issued, giver.origin);
  let now = 0;
  const login = { idVariable: 'CLIENT', secretVariable: 'SECRET', issuer: giver.origin, scope: 'tools' };
  const config = serverWith(server.url, { auth: 'client_credentials', login });
  const { execute, logText } = await startBridge([config], { environment, clock: () => now });
  expect(finishedOf(await execute('pay', {})).content).toBe('pay: Bearer [secret]');
  await Promise.all([execute('pay', {}), execute('pay', {})]);
  expect(giver.asked).toHaveLength(1);
  const [first] = giver.asked;
  expect(first?.authorization).toBe(`Basic ${Buffer.from(`the-client:${secret}`).toString('base64')}`);
  expect(Object.fromEntries(first?.body ?? [])).toEqual({
    grant_type: 'client_credentials',
    scope: 'tools',
    resource: server.url,
  });
  now = 29_000;
  await execute('pay', {});
  expect(giver.asked).toHaveLength(1);
  now = 31_000;
  await execute('pay', {});
  expect(giver.asked).toHaveLength(2);
  expect(logText()).not.toContain('canary');
});

test('a 401 has the token renewed and the call made once more, and only once', async () => {
  const giver = await authority();
  let good = 'canary-issued-1-0123456789';
  const server = await guarded((token) => token === good, giver.origin);
  const login = { idVariable: 'CLIENT', secretVariable: 'SECRET', tokenUrl: `${giver.origin}/token` };
  const config = serverWith(server.url, { auth: 'client_credentials', login });
  const { execute } = await startBridge([config], { environment });
  await execute('pay', {});
  good = 'canary-issued-2-0123456789';
  expect(finishedOf(await execute('pay', {})).content).toBe('pay: Bearer [secret]');
  expect(giver.asked).toHaveLength(2);
  expect(giver.shown).toEqual(['/token', '/token']);
  good = 'none';
  const before = server.calls();
  const refused = refusedOf(await execute('pay', {}));
  expect(refused.reason).toBe(mcp.RefusedReason.UNAUTHENTICATED);
  expect(server.calls() - before).toBe(2);
  expect(giver.asked).toHaveLength(3);
});

test('the secret goes to no other authority than the configured one', async () => {
  const thief = await authority();
  const server = await guarded(issued, thief.origin);
  const login = { idVariable: 'CLIENT', secretVariable: 'SECRET', issuer: 'https://auth.example' };
  const config = serverWith(server.url, { auth: 'client_credentials', login });
  const failure = await startBridge([config], { environment }).catch((error: unknown) => String(error));
  expect(failure).toContain('no token for the server "l" was to be had at auth.example');
  expect(thief.asked).toEqual([]);
});

test('what a server says of where to log in leads nowhere inside', async () => {
  const inside = await authority();
  const giver = await authority();
  const server = await guarded(issued, `${inside.origin}/admin`);
  const login = { idVariable: 'CLIENT', secretVariable: 'SECRET', issuer: giver.origin };
  const config = serverWith(server.url, { auth: 'client_credentials', login });
  const failure = await startBridge([config], { environment, bounds: oneAttempt }).catch((error: unknown) =>
    String(error),
  );
  expect(failure).toContain('no token for the server "l" was to be had');
  expect(inside.shown).toEqual([]);
});

test('the secret does not follow where a token endpoint points', async () => {
  const thief = await authority();
  const giver = await listen((_request, response) =>
    response.writeHead(307, { location: `${thief.origin}/token` }).end(),
  );
  const server = await guarded(issued, thief.origin);
  const login = { idVariable: 'CLIENT', secretVariable: 'SECRET', tokenUrl: giver.url };
  const config = serverWith(server.url, { auth: 'client_credentials', login });
  const failure = await startBridge([config], { environment, bounds: oneAttempt }).catch((error: unknown) =>
    String(error),
  );
  expect(failure).toContain('no token for the server "l" was to be had');
  expect(thief.shown).toEqual([]);
});

test('an authority that refuses us is not knocked at again at once, and nothing of what it says is shown', async () => {
  const giver = await authority(60);
  const server = await guarded(issued, giver.origin);
  let now = 0;
  const login = { idVariable: 'CLIENT', secretVariable: 'SECRET', tokenUrl: `${giver.origin}/token` };
  const config = serverWith(server.url, { auth: 'client_credentials', login });
  const options = { environment, clock: () => now, bounds: { listFreshMs: 3_600_000 } };
  const { execute, logText } = await startBridge([config], options);
  giver.breakIt();
  now = 31_000;
  const calls = server.calls();
  const first = finishedOf(await execute('pay', {}));
  expect(first).toMatchObject({ isError: true, failure: mcp.FailureKind.SERVER_UNAVAILABLE });
  expect(first.content).toMatch(
    /was not reached: no token for the server "l" was to be had at 127\.0\.0\.1:\d+ \(invalid_client\)/,
  );
  await execute('pay', {});
  expect(giver.asked).toHaveLength(2);
  expect(server.calls()).toBe(calls);
  expect(first.content + logText()).not.toContain('canary');
});

test('a token of the caller goes over plain http to another machine only where the file says forward', () => {
  const at = (url: string, more: Partial<Http> = {}) => {
    const { log } = collectingLog();
    const clock = () => 0;
    const eras = new EraCache();
    const connect = { clientInfo: { name: 'a', version: '1' }, bounds: bridgeBounds, environment: {}, eras, clock };
    const config = serverWith(url, { auth: 'forward', ...more });
    const parts = { connect, bounds: bridgeBounds, log, clock, random: () => 0, onTools: () => undefined };
    return new ServerConnection(config, parts).forwardsBearer;
  };
  expect(at('http://tools.example/mcp')).toBe(false);
  expect(at('http://tools.example/mcp', { forwardsInClear: true })).toBe(true);
  expect(at('https://tools.example/mcp')).toBe(true);
  expect(at('http://127.0.0.1:1/mcp')).toBe(true);
  expect(at('https://tools.example/mcp', { auth: 'none' })).toBe(false);
});
