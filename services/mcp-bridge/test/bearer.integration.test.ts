import { mcp } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { finishedOf, httpServer, refusedOf, startBridge, unknownOf } from './support/bridge.ts';
import { json, legacyServer, listen, modernServer, textResult } from './support/http.ts';

const { RefusedReason } = mcp;
const token = 'alice-token-0123456789';

test('each call carries the token of its own caller, and nothing else does', async () => {
  const server = await modernServer();
  const { execute, toolNamed, logText } = await startBridge([httpServer('s', server.url, { era: 'modern' })]);
  expect((await toolNamed('whoami')).forwardsBearer).toBe(true);
  await Promise.all([
    execute('whoami', {}, { token }),
    execute('whoami', {}, { token: 'bob-token-0123456789' }),
    execute('whoami', {}),
    execute('whoami', {}, { token }),
  ]);
  const sent = (rpc: boolean) =>
    server.seen.filter((one) => (one.rpc === 'tools/call') === rpc).map((one) => one.authorization);
  expect(sent(true)).toEqual([`Bearer ${token}`, 'Bearer bob-token-0123456789', undefined, `Bearer ${token}`]);
  expect(new Set(sent(false))).toEqual(new Set([undefined]));
  expect(logText()).not.toContain(token);
});

test('concurrent callers of two servers do not mix', async () => {
  const one = await modernServer();
  const other = await modernServer('o_');
  const { execute } = await startBridge(
    [httpServer('one', one.url), httpServer('other', other.url)].map((s) => ({ ...s, era: 'modern' })),
  );
  await Promise.all([execute('whoami', {}, { token }), execute('o_whoami', {}, { token: 'bob-token-0123456789' })]);
  const sentTo = (server: typeof one) => server.seen.flatMap(({ authorization }) => authorization ?? []);
  expect(sentTo(one)).toEqual([`Bearer ${token}`]);
  expect(sentTo(other)).toEqual(['Bearer bob-token-0123456789']);
});

test('auth: none sends no token', async () => {
  const server = await modernServer();
  const config = httpServer('s', server.url, { era: 'modern' });
  const { execute, toolNamed } = await startBridge([
    { ...config, transport: { kind: 'http', url: server.url, auth: 'none' } },
  ]);
  expect((await toolNamed('whoami')).forwardsBearer).toBe(false);
  expect(finishedOf(await execute('whoami', {}, { token })).content).toBe('whoami: nobody');
});

test('a token that the server repeats is taken out of results, errors and logs', async () => {
  let status = 200;
  const server = await legacyServer({
    onCall: (_request, response, { id }) => {
      if (status === 200) json(response, textResult(id, `you are ${token}!`));
      else response.writeHead(status).end(`bad token ${token}`);
    },
  });
  const { execute, logText } = await startBridge([httpServer('l', server.url)]);
  expect(finishedOf(await execute('pay', {}, { token })).content).toBe('you are [secret]!');
  status = 403;
  const refused = finishedOf(await execute('pay', {}, { token }));
  expect(refused.isError).toBe(true);
  expect(refused.content).toContain('bad token [secret]');
  status = 500;
  expect(unknownOf(await execute('pay', {}, { token }))).not.toContain(token);
  expect(logText()).not.toContain(token);
});

test('a redirect is an error that names it, and neither call nor token follows', async () => {
  const reached: (string | undefined)[] = [];
  const elsewhere = await listen((request, response) => {
    reached.push(request.headers.authorization);
    response.end();
  });
  const server = await legacyServer({
    onCall: (_request, response) => response.writeHead(307, { location: `${elsewhere.url}?secret=1` }).end(),
  });
  const { execute } = await startBridge([httpServer('l', server.url)]);
  const result = finishedOf(await execute('pay', {}, { token }));
  expect(result.isError).toBe(true);
  expect(result.content).toContain(
    `answered with a redirect (HTTP 307) to ${elsewhere.url}; redirects are not followed`,
  );
  expect(result.content).not.toContain('secret=1');
  expect(reached).toEqual([]);
});

test('401 to a call says that authentication is required; the call did not run', async () => {
  const server = await legacyServer({
    onCall: (request, response, { id }) => {
      if (request.headers.authorization === `Bearer ${token}`) json(response, textResult(id, 'welcome'));
      else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    },
  });
  const { execute } = await startBridge([httpServer('l', server.url)]);
  const refused = refusedOf(await execute('pay', {}));
  expect(refused.reason).toBe(RefusedReason.UNAUTHENTICATED);
  expect(refused.message).toBe('Authentication required to access the l server.');
  expect(finishedOf(await execute('pay', {}, { token })).content).toBe('welcome');
});

test('401 to the connection itself fails the start at once', async () => {
  const server = await listen((_request, response) => response.writeHead(401).end());
  const started = startBridge([httpServer('l', server.url)], { bounds: { httpStartMs: 60_000 } });
  const failure = await started.catch((error: unknown) => error);
  expect(String(failure)).toContain('failed to start MCP server "l": it requires authorization (HTTP 401)');
  // Waiting would not help.
  expect(failure).not.toHaveProperty('kind');
});

test('a token that cannot stand in a header is refused before anything is sent', async () => {
  const server = await legacyServer();
  const { execute, logText } = await startBridge([httpServer('l', server.url)]);
  const refused = refusedOf(await execute('pay', {}, { token: 'alice-token\r\nx-admin: 1' }));
  expect(refused.reason).toBe(RefusedReason.UNAUTHENTICATED);
  expect(server.calls()).toBe(0);
  expect(refused.message + logText()).not.toContain('alice');
});

test.each([
  [
    'Bearer resource_metadata="https://x.example/.well-known/oauth-protected-resource"',
    ', by the OAuth login of a user; ',
  ],
  ['Bearer realm="x"', '; '],
])('a server that wants a login (%s) is refused with what can be configured', async (challenge, words) => {
  const server = await listen((_request, response) => response.writeHead(401, { 'www-authenticate': challenge }).end());
  await expect(startBridge([httpServer('l', server.url)])).rejects.toThrow(
    `it requires authorization (HTTP 401) before any call${words}set auth: static and token_env to send a token from an environment ` +
      'variable, or auth: client_credentials if programs can log in there; a login in the browser and other headers are not supported',
  );
});
