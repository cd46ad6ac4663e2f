import type { ServerResponse } from 'node:http';
import { SchemaChecks } from '@stopgo/json-schema';
import type { McpServerConfig } from '@stopgo/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { withoutTokens } from '../src/credentials/bearer.ts';
import { eventually, finishedOf, httpServer, startBridge, unknownOf } from './support/bridge.ts';
import { json, legacyServer, listen, modernServer } from './support/http.ts';

const token = 'canary-token-0123456789';
// Wherever within it the words would be cut, some token is there.
const long = `${'x'.repeat(300)} ${token.repeat(400)}`;
const environment = { TOOL_TOKEN: token };

function withOwnToken(url: string, more: Partial<McpServerConfig> = {}): McpServerConfig {
  const transport = { kind: 'http', url, auth: 'static', tokenVariable: 'TOOL_TOKEN' } as const;
  return { ...httpServer('l', url), ...more, transport };
}

function write(response: ServerResponse, message: object): void {
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

test.each<[string, (response: ServerResponse, id: number | undefined) => unknown]>([
  ['an error', (response, id) => json(response, { jsonrpc: '2.0', id, error: { code: -32_000, message: long } })],
  ['a refusal', (response) => response.writeHead(403).end(long)],
  [
    'a result that is not what the tool promises',
    (response, id) => json(response, { jsonrpc: '2.0', id, result: { content: [], structuredContent: { [long]: 1 } } }),
  ],
  [
    'the name of a block',
    (response, id) => {
      const content = [{ type: 'resource_link', uri: 'file:///a', name: long.slice(150) }];
      json(response, { jsonrpc: '2.0', id, result: { content } });
    },
  ],
])('a token where the long words of a server are cut is told nobody, not even in part: %s', async (_, answer) => {
  const outputSchema = { type: 'object', additionalProperties: false };
  const tool = { name: 'pay', inputSchema: { type: 'object' }, outputSchema, annotations: { destructiveHint: false } };
  const listed = (response: ServerResponse, id: number | undefined) =>
    json(response, { jsonrpc: '2.0', id, result: { tools: [tool] } });
  const one = await legacyServer({
    before: (_request, response, { id, method }) => {
      if (method === 'tools/list') listed(response, id);
    },
    onCall: (_request, response, { id }) => void answer(response, id),
  });
  // All callers share its one connection.
  const shared = await legacyServer({
    before: (request, response, { id, method }) => {
      const serverInfo = { name: 'shared', version: '1' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      if (method === 'initialize') json(response, { jsonrpc: '2.0', id, result });
      else if (method === 'tools/list') listed(response, id);
      else if (method === 'tools/call') answer(response, id);
      else response.writeHead(request.method === 'POST' ? 202 : 405).end();
    },
  });
  for (const config of [httpServer('l', one.url), withOwnToken(one.url), httpServer('l', shared.url)]) {
    const { execute, logText } = await startBridge([config], { environment });
    const { content, isError } = finishedOf(await execute('pay', {}, { token }));
    expect(content).toContain('[secret]');
    expect(content.replaceAll('[secret]', '') + logText()).not.toMatch(/cana|456789/);
    expect(content.length).toBeLessThan(isError ? 5_000 : 10_000);
  }
});

test.each([
  ['as it is connected to', 'initialize'],
  ['as it is asked for its tools', 'tools/list'],
])('a token where the long reason of a server is cut is in nothing that is shown of it: %s', async (_, refuses) => {
  const server = await legacyServer({
    before: (_request, response, { id, method }) => {
      if (method === refuses) json(response, { jsonrpc: '2.0', id, error: { code: -32_000, message: long } });
    },
  });
  const { client, logText } = await startBridge([withOwnToken(server.url, { onStartFailure: 'degrade' })], {
    environment,
    bounds: { httpStartMs: 100, httpStartPauseMs: 20 },
  });
  const shown = await eventually(async () => {
    const [status] = (await client.listServers({})).servers;
    return status?.reason.includes('xxx') ? status : undefined;
  }, 'what it answers is shown');
  expect(shown.reason).toContain('[secret]');
  expect(shown.reason + shown.lastError + logText()).not.toContain('cana');
});

test('a token where a long message of progress is cut is told nobody, not even in part', async () => {
  let finish = (): unknown => undefined;
  const server = await legacyServer({
    onCall: (_request, response, { id, params }) => {
      const { _meta } = params as { readonly _meta?: { readonly progressToken?: unknown } };
      const progress = { progressToken: _meta?.progressToken, progress: 1, message: long };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      write(response, { method: 'notifications/progress', params: progress });
      finish = () => {
        write(response, { id, result: { content: [] } });
        response.end();
      };
    },
  });
  const { send, client, keyOf, instance } = await startBridge([httpServer('l', server.url)]);
  const sent = await send('pay', {}, { call: 'c', token });
  const key = keyOf('c');
  const told = await eventually(async () => {
    const { state } = await client.fenceCall({ key, instance });
    return state.case === 'running' && state.value.progressMessage !== '' ? state.value.progressMessage : undefined;
  }, 'the progress is told');
  expect(told).toContain('x [secret]');
  expect(told).not.toContain('cana');
  finish();
  await sent.outcome;
});

test('a token with which changes of the tools are not told is in no line of the log', async () => {
  const server = await modernServer('', 0, [], (request, response) => {
    if (request.headers['mcp-method'] === 'subscriptions/listen')
      response.writeHead(403).end(`not with ${request.headers.authorization}`);
  });
  const { logText } = await startBridge([withOwnToken(server.url, { era: 'modern' })], { environment });
  await eventually(() => logText().includes('cannot be followed'), 'the failure is in the log');
  expect(logText()).toContain('not with Bearer [secret]');
  expect(logText()).not.toContain('canary');
});

test('an answer that is no JSON is told without the piece of it that the runtime shows', async () => {
  const text = `{"member": "${'x'.repeat(50)}", "other": ${token}}`;
  const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  const server = await legacyServer({ onCall: (_request, response) => void begin(response) });
  const { execute, bridge, logText } = await startBridge([httpServer('l', server.url)], {
    bounds: { backoffFirstMs: 60_000 },
  });
  const told = unknownOf(await execute('pay', {}, { token }));
  expect(told).toBe(
    'the server "l" was lost while the call ran (its answer is no JSON); whether the call took effect is not known',
  );
  expect(JSON.stringify(bridge.describe()) + logText()).not.toContain('cana');
  const other = await listen((_request, response) => void begin(response));
  const config = withOwnToken(other.url);
  const started = startBridge([config], { environment, bounds: { httpStartMs: 10_000, httpStartPauseMs: 10_000 } });
  expect(await started.catch(String)).toContain('it answered with what is no JSON; check its address');
});

test('tokens are hidden the longest first, in whatever letters, and as JSON, addresses and validators spell them', async () => {
  expect(withoutTokens('token-1-of-alice, token-1.', 'token-1', undefined, 'token-1-of-alice')).toBe(
    '[secret], [secret].',
  );
  expect(withoutTokens('at http://token-a.example', 'TOKEN-A')).toBe('at http://[secret].example');
  const signs = 'a+b/c.d$(e)[f]|g\\^{h}*?"=';
  expect(withoutTokens(`${signs}, ${JSON.stringify([signs])}, aab/cxd`, signs)).toBe('[secret], ["[secret]"], aab/cxd');
  expect(withoutTokens(`https://a.example/?t=${encodeURIComponent(signs)}&u=1`, signs)).toBe(
    'https://a.example/?t=[secret]&u=1',
  );
  const schema = { type: 'object', additionalProperties: { type: 'string' } };
  const named = await new SchemaChecks().checkOf(schema, { owner: 's', key: 'k' })({ '~t/k+1 "': 1 });
  expect(withoutTokens(named ?? '', '~t/k+1 "')).toMatch(/^arguments\["\[secret\]"\]: Instance type/);
  expect(withoutTokens('of token\ud800', 'token\ud800')).toBe('of [secret]');
  expect(withoutTokens('abc', 'abc')).toBe('abc');
});

test('a token that is too long for a regular expression is hidden all the same', () => {
  const endless = 'a+b/c.d$'.repeat(5_000);
  expect(withoutTokens(`${endless} ${token.toUpperCase()}`, token, endless)).toBe('[secret] [secret]');
});

test('what searches for a token is made once for all names of a result: made for each, it holds the bridge up', async () => {
  const content = Array.from({ length: 1_000 }, () => ({ type: 'image', data: '', mimeType: 'image/png' }));
  const server = await legacyServer({
    onCall: (_request, response, { id }) => json(response, { jsonrpc: '2.0', id, result: { content } }),
  });
  const { execute } = await startBridge([httpServer('l', server.url)]);
  const expressions = globalThis.RegExp;
  onTestFinished(() => {
    globalThis.RegExp = expressions;
  });
  let made = 0;
  globalThis.RegExp = new Proxy(expressions, {
    construct: (target, args) => {
      made += 1;
      return Reflect.construct(target, args);
    },
  });
  expect(finishedOf(await execute('pay', {}, { token })).content).toContain('[image image/png, 0 bytes]');
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(content.length);
});
