import { carriesTokenInClear, mayCarryToken } from '@stopgo/security';
import { expect, test } from 'vitest';

const ALLOWED = ['agent-b', 'tools.lan:8090', 'plain.lan:80', '[fd00::1]'];

test.each([
  'https://agents.example',
  'https://10.0.0.1:8443/mcp',
  'http://localhost:8090',
  'http://LOCALHOST',
  'http://127.0.0.1:8090/mcp',
  'http://127.8.9.1',
  'http://[::1]:8090',
  'http://[::ffff:127.0.0.1]',
  // As URL parsers read them, these are loopback too.
  'http://2130706433',
  'http://0x7f.1',
  'http://0177.0.0.1',
])('a token goes to %s unasked', (url) => {
  expect(mayCarryToken(url)).toBe(true);
  expect(carriesTokenInClear(url, ALLOWED)).toBe(false);
});

test.each([
  'http://agent-b:8080/a2a',
  'http://agent-b',
  'http://Agent-B:50051',
  'http://tools.lan:8090/mcp',
  'http://plain.lan/mcp',
  'http://[fd00::1]:8080',
])('a token goes to %s because it is allowed by name', (url) => {
  expect(mayCarryToken(url)).toBe(false);
  expect(mayCarryToken(url, ALLOWED)).toBe(true);
  expect(carriesTokenInClear(url, ALLOWED)).toBe(true);
});

test.each([
  'http://agents.example',
  'http://10.0.0.1',
  'http://0.0.0.0:8080',
  'http://agent-b.evil.example:8080',
  'http://x-agent-b:8080',
  'http://agent-b@evil.example',
  'http://tools.lan:8091',
  'http://tools.lan',
  'http://plain.lan:8080',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'ftp://agent-b',
  'ws://localhost',
  'agent-b:8080',
  '',
])('no token goes to %s', (url) => {
  expect(mayCarryToken(url, ALLOWED)).toBe(false);
});
