import { Secret } from '@stopgo/rpc';
import { describe, expect, test } from 'vitest';
import { aboutBytesMax } from '../../src/a2a/bounds.ts';
import { callHeaders } from '../../src/a2a/call-headers.ts';
import { cardNameProblem, readCard } from '../../src/a2a/card.ts';
import { cardUrls } from '../../src/a2a/discovery.ts';
import { chooseEndpoint } from '../../src/a2a/endpoint.ts';
import { agentAt } from './orders.ts';

const at = (url: string, protocolBinding = 'JSONRPC', protocolVersion = '1.0') => ({
  url,
  protocolBinding,
  protocolVersion,
});
const chosen = (configured: string, ...supportedInterfaces: object[]) => {
  const card = readCard({ name: 'peer', supportedInterfaces });
  const endpoint = card && chooseEndpoint(configured, card);
  return endpoint && `${endpoint.dialect} ${endpoint.binding} ${endpoint.url}`;
};

describe('the interface of a card', () => {
  test('is the newest, over JSON-RPC first, among those that are at the configured address', () => {
    const rest = at('http://a/rest', 'HTTP+JSON');
    const old = at('http://a/rpc', 'JSONRPC', '0.3.0');
    expect(chosen('http://a', old, rest)).toBe('1.0 HTTP+JSON http://a/rest');
    expect(chosen('http://a/', old, rest, at('http://a/rpc'))).toBe('1.0 JSONRPC http://a/rpc');
    expect(chosen('http://a/rpc', rest, old)).toBe('0.3 JSONRPC http://a/rpc');
    expect(chosen('http://a/agents/x', at('http://a/agents/x/rpc'), at('http://a/agents/xy'))).toBe(
      '1.0 JSONRPC http://a/agents/x/rpc',
    );
    expect(chosen('http://a/rpc?tenant=1', at('http://a/rpc'))).toBe('1.0 JSONRPC http://a/rpc?tenant=1');
    expect(chosen('http://a/agents/x', at('http://a/agents/xy'))).toBe('1.0 JSONRPC http://a/agents/x');
    expect(chosen('http://a/elsewhere', rest, old)).toBe('0.3 JSONRPC http://a/elsewhere');
  });

  test('moves nothing to another host', () => {
    expect(chosen('https://a/', at('https://evil.example/rpc'))).toBe('1.0 JSONRPC https://a/rpc');
    expect(chosen('https://a/', at('https://evil.example//evil.example/rpc'))).toBe(
      '1.0 JSONRPC https://a/evil.example/rpc',
    );
    expect(chosen('http://agent-b:8080/a2a', at('http://0.0.0.0:8080/a2a'))).toBe(
      '1.0 JSONRPC http://agent-b:8080/a2a',
    );
  });

  test('is gRPC where nothing else is spoken: at the configured host, at the port that the card names', () => {
    const grpc = at('evil.example:9001', 'GRPC');
    expect(chosen('http://a/a2a', grpc, at('http://a/old', 'JSONRPC', '0.3.0'))).toBe('0.3 JSONRPC http://a/a2a');
    expect(chosen('http://a/a2a', at('http://a:9000', 'GRPC', '0.3.0'), grpc)).toBe('1.0 GRPC http://a:9001/');
    expect(chosen('http://a', at('grpcs://a:9001', 'GRPC'))).toBe('1.0 GRPC https://a:9001/');
    expect(chosen('https://a', at('a', 'GRPC'))).toBe('1.0 GRPC https://a:443/');
    expect(chosen('http://a', at('a:9001/x y', 'GRPC', '2.0'), at('unix:///tmp/x', 'GRPC'))).toBeUndefined();
  });

  test('is none where nothing is spoken that we know', () => {
    expect(chosen('http://a', at('', 'GRPC'), at('http://a', 'JSONRPC', '2.0'))).toBeUndefined();
    expect(chosen('http://a', at('http://a', 'JSONRPC', '0.30'), at('file:///etc/passwd'))).toBeUndefined();
    expect(readCard([])).toBeUndefined();
    expect(readCard({})).toBeUndefined();
  });
});

test('cards of each age are told apart', () => {
  const dialects = (card: object) => readCard(card)?.interfaces.map(({ dialect, binding }) => `${dialect} ${binding}`);
  expect(dialects({ name: 'old', url: 'http://a' })).toEqual(['legacy JSONRPC']);
  expect(
    dialects({
      name: 'mid',
      url: 'http://a',
      protocolVersion: '0.3.0',
      additionalInterfaces: [{ url: 'http://a/r', transport: 'HTTP+JSON' }],
    }),
  ).toEqual(['0.3 JSONRPC', '0.3 HTTP+JSON']);
  // Both at once: what is newer counts.
  expect(
    dialects({ name: 'new', url: 'http://a', protocolVersion: '0.3.0', supportedInterfaces: [at('http://a')] }),
  ).toEqual(['1.0 JSONRPC']);
});

test('a card says what its agent is good for: in one line, with nothing hidden, and not too much of it', () => {
  const about = (card: object) => readCard({ name: 'peer', ...card })?.about;
  const skills = [{ name: 'bake', description: 'Bakes\nbread.' }, { name: 'sell' }, 'no skill', { description: 7 }];
  expect(about({ description: ' Runs a bakery. ', skills })).toBe('Runs a bakery. Skills: bake: Bakes bread.; sell');
  expect(about({ description: 'a\u202eb' })).toBe('a\\u{202e}b');
  expect(about({})).toBe('');
  expect(Buffer.byteLength(about({ description: '\u20ac'.repeat(10_000), skills }) ?? '')).toBeLessThanOrEqual(
    aboutBytesMax,
  );
});

test('a card is looked for at the host, below the address, and beside it', () => {
  expect(cardUrls('http://a/x/rpc?key=1').map((url) => new URL(url).pathname)).toEqual([
    '/.well-known/agent-card.json',
    '/.well-known/agent.json',
    '/x/rpc/.well-known/agent-card.json',
    '/x/rpc/.well-known/agent.json',
    '/x/.well-known/agent-card.json',
    '/x/.well-known/agent.json',
  ]);
  expect(cardUrls('http://a')).toHaveLength(2);
});

test('a token goes to the origin that is configured and to those that are listed, and to no other port of the host', () => {
  const bearer = new Secret('t');
  const agent = agentAt('http://127.0.0.1:8080/a2a', { tokenOrigins: ['http://127.0.0.1:50051'] });
  const at = (url: string, of = agent) => callHeaders({ agent: of, bearer, sessionId: 's' }, url);
  const withToken = { 'X-Session-ID': 's', Authorization: 'Bearer t' };
  for (const url of ['http://127.0.0.1:8080/a2a', 'http://127.0.0.1:8080/other?x=1', 'http://127.0.0.1:50051/'])
    expect(at(url), url).toEqual(withToken);
  for (const url of [
    'http://127.0.0.1:50052/',
    'https://127.0.0.1:8080/',
    'http://127.0.0.1/',
    'http://localhost:8080/',
  ])
    expect(at(url), url).toEqual({ 'X-Session-ID': 's' });
  expect(at('https://a:443/x', agentAt('https://a/a2a'))).toEqual(withToken);
  for (const url of ['http://127.0.0.1:8080/a2a', 'http://127.0.0.1:50051/'])
    expect(at(url, { ...agent, forwardsBearer: false }), url).toEqual({ 'X-Session-ID': 's' });
});

test('no header is made of what cannot be one', () => {
  const agent = agentAt('http://a');
  expect(callHeaders({ agent, sessionId: 'a\r\nb: c' }, 'http://a')).toEqual({});
});

test('a card that names its agent with characters that are not seen is refused with the reason', () => {
  expect(cardNameProblem({ name: 'till\nApproved' })).toBe(
    'names the agent with characters that are not seen: "till\\nApproved"',
  );
  expect(cardNameProblem({ name: 'ti\u202ell' })).toContain('ti\\u{202e}ll');
  expect(cardNameProblem({ name: 'The till 👩\u200d🔬' })).toBeUndefined();
  expect(cardNameProblem({})).toBeUndefined();
});
