import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { answerOf } from '../src/chat/view.ts';
import { decide, printApprovals } from '../src/decide/approvals.ts';
import { listConversations } from '../src/decide/conversations.ts';
import { askGateway } from '../src/decide/gateway.ts';
import { printInputs } from '../src/decide/inputs.ts';
import { toolsCommand } from '../src/decide/tools.ts';
import { selfSigned } from './self-signed.ts';

const noTool = { action: '', server: undefined, tool: undefined, by: undefined, pin: undefined };

/** What became of a request, by what the network says of it. */
const asked = (url: string) => askGateway(url, '/conversations', { body: { message: 'hi' } });

const connecting = (code: string) => Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' });
const lookingUp = (code: string) => Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' });
const reading = (code: string) => Object.assign(new Error(`read ${code}`), { code, syscall: 'read' });
const undici = (code: string) => Object.assign(new Error('of undici'), { code });
/** Each address of a name was tried. */
const ofAll = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });

afterEach(() => vi.unstubAllGlobals());

describe('a request', () => {
  test.each([
    ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNABORTED'].map(connecting),
    ...['ENOTFOUND', 'EAI_AGAIN'].map(lookingUp),
    undici('UND_ERR_CONNECT_TIMEOUT'),
    ofAll(connecting('ECONNREFUSED'), connecting('ENETUNREACH')),
  ])('that found nobody to connect to was not sent, and may find somebody later: %s', async (cause) => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })));
    await expect(asked('http://127.0.0.1')).rejects.toMatchObject({ outcome: 'not sent', mayPass: true });
  });

  test.each([
    ...['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNABORTED'].map(reading),
    undici('UND_ERR_SOCKET'),
    ofAll(connecting('ECONNREFUSED'), reading('ECONNRESET')),
    ofAll(),
    undefined,
  ])('that broke off may have been taken: %s', async (cause) => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })));
    await expect(asked('http://127.0.0.1')).rejects.toMatchObject({ outcome: 'unknown', mayPass: true });
  });
});

test('why none of the addresses of a name could be reached is said', async () => {
  const cause = ofAll(connecting('ECONNREFUSED'), connecting('ENETUNREACH'));
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })));
  await expect(asked('http://x')).rejects.toThrow(
    'no answer from http://x: connect ECONNREFUSED, connect ENETUNREACH; ',
  );
});

test('an address that no way leads to was not asked', async () => {
  await expect(asked('http://255.255.255.255:18099')).rejects.toMatchObject({ outcome: 'not sent' });
});

test('a certificate that is not trusted is told, and nothing is sent or tried again', async () => {
  let requests = 0;
  const server = createServer(selfSigned(), () => {
    requests += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  try {
    await expect(asked(url)).rejects.toMatchObject({
      outcome: 'not sent',
      mayPass: false,
      message: `the certificate of ${url} is not accepted: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT); renew it there, or name a file with the CA that signed it in NODE_EXTRA_CA_CERTS`,
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
  expect(requests).toBe(0);
});

test.each(['null', '1', '"hi"'])('an answer that is no object is none: %s', async (text) => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(text)));
  await expect(asked('http://x')).rejects.toMatchObject({
    outcome: 'unknown',
    mayPass: false,
    message: `http://x answered with JSON that is no object: ${text}; is that the platform? (--url or --port)`,
  });
});

test.each([
  [500, {}, 'unknown', true],
  [503, { recorded: 'something' }, 'unknown', true],
  [503, { recorded: 'nothing' }, 'refused', true],
  [429, {}, 'unknown', true],
  [409, {}, 'refused', false],
])('a refusal with %i and %j is %s', async (status, more, outcome, mayPass) => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ error: 'no', ...more }, { status })));
  await expect(asked('http://x')).rejects.toMatchObject({ message: 'no', outcome, mayPass });
});

test('who has to sign in is told how a command does', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ error: 'sign in first' }, { status: 401 })));
  await expect(asked('http://x')).rejects.toMatchObject({
    message: 'sign in first; commands send the API key in STOPGO_API_KEY: set it to one of yours',
    outcome: 'refused',
  });
});

describe('an answer that is an object, and none of the platform', () => {
  const where = / answered with JSON that holds no \w+: \{\}; is that the platform\? \(--url or --port\)$/;
  test.each<[string, () => Promise<void>]>([
    ['approvals', () => printApprovals('http://x', () => undefined)],
    ['conversations', () => listConversations('http://x', { json: false }, () => undefined)],
    ['inputs', () => printInputs('http://x', undefined, () => undefined)],
    ['inputs of one', () => printInputs('http://x', 'c', () => undefined)],
    ['tools', () => toolsCommand('http://x', noTool, () => undefined)],
    ['approve', () => decide('http://x', 'u', { action: 'approve' }, { print: () => undefined, commandLine: String })],
  ])('is said to be none: %s', async (_, command) => {
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json({})));
    await expect(command()).rejects.toThrow(where);
  });
});

test('arguments are shown digit by digit, as they will be sent', async () => {
  const approval =
    '{"uuid":"u","tool_name":"pay","description":"pays","description_cut":true,"choices":["approve"],"created_at":"","conversation_id":"c","tool_args":{"n":12345678901234567890,"one":1.0}}';
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(`{"approvals":[${approval}],"counts":{}}`)));
  const lines: string[] = [];
  await printApprovals('http://x', (line) => void lines.push(line), true);
  expect(lines.join('\n')).toContain('"n": 12345678901234567890,');
  expect(lines.join('\n')).toContain('"one": 1.0');
});

const conversation = { id: 'c', revision: 1, pending_approvals: [] };

test.each([
  [],
  { conversation: null },
  { conversation: { ...conversation, id: 1 } },
  { conversation: { ...conversation, revision: undefined } },
  { conversation: { ...conversation, pending_approvals: {} } },
])('an answer that holds no conversation is none: %j', (answer) => {
  expect(answerOf({ conversation }, 'http://x')).toEqual({ conversation });
  expect(() => answerOf(answer, 'http://x')).toThrow(/^http:\/\/x answered with JSON that holds no conversation: [[{]/);
});
