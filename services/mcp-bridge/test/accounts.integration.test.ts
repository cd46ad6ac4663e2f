import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Actor, notFound } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import type { McpServerConfig } from '@stopgo/runtime';
import { Sealer } from '@stopgo/security';
import { expect, test } from 'vitest';
import { bridgeBounds } from '../src/bounds.ts';
import { Accounts } from '../src/connections/accounts.ts';
import { httpServer } from './support/bridge.ts';
import { json, listen } from './support/http.ts';
import { MemoryStore } from './support/memory-store.ts';

/**
 * What an authorization server says is a stranger's word, and what is known of accounts is the same for all bridges: here with a server
 * that says what a test has it say, and two bridges on one log.
 */
const ann: Actor = { kind: 'user', id: 'ann' };
const back = 'http://127.0.0.1:1/callback';
const none = { code: 'code', issuer: '', error: '' };

type Said = Record<string, unknown>;

/** A tool server with a login beside it; `change` is what it says otherwise. */
async function login(change: (said: Said) => Said = (said) => said) {
  const spent: string[] = [];
  const requests: string[] = [];
  let count = 0;
  let hold: Promise<void> = Promise.resolve();
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<unknown> => {
    const at = issuer.url.replace('/mcp', '');
    requests.push(`${req.method} ${req.url}`);
    if (req.url?.startsWith('/.well-known/'))
      return json(
        res,
        change({
          issuer: at,
          authorization_endpoint: `${at}/authorize`,
          token_endpoint: `${at}/token`,
          registration_endpoint: `${at}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        }),
      );
    const body = await text(req);
    if (req.url === '/register') return json(res, { ...JSON.parse(body), client_id: 'registered' });
    const form = new URLSearchParams(body);
    const token = form.get('refresh_token');
    if (token !== null) {
      // As those do that take a second use for a theft.
      if (spent.includes(token)) return void res.writeHead(400).end('{"error":"invalid_grant"}');
      spent.push(token);
      await hold;
    }
    count += 1;
    return json(res, { access_token: `access-${count}`, refresh_token: `refresh-${count}`, token_type: 'Bearer' });
  };
  const issuer = await listen((req, res) => void answer(req, res));
  const server = await listen((req, res) => {
    if (req.url?.startsWith('/.well-known/oauth-protected-resource'))
      return json(res, { resource: server.url, authorization_servers: [issuer.url.replace('/mcp', '')] });
    res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  const config: McpServerConfig = {
    ...httpServer('notes', server.url),
    transport: { kind: 'http', url: server.url, auth: 'oauth' },
  };
  return {
    ...{ config, spent, requests },
    origin: issuer.url.replace('/mcp', ''),
    holdUntil: (until: Promise<void>) => {
      hold = until;
    },
  };
}

const key = randomBytes(32);

/** What bridges share. */
function shared() {
  const memory = new MemoryStore();
  const keys = new Map<string, Uint8Array>();
  const client = {
    ...memory.client,
    keepKey: async ({ keyId = '', sealed = new Uint8Array() }) => void keys.set(keyId, sealed),
    readKey: async ({ keyId = '' }) => {
      const sealed = keys.get(keyId);
      if (sealed === undefined) throw notFound('no key');
      return { sealed };
    },
    destroyKey: async ({ keyId = '' }) => void keys.delete(keyId),
  } as unknown as MemoryStore['client'];
  return { client, keys, memory };
}

function bridge(config: McpServerConfig, store: MemoryStore['client']) {
  const id = `bridge-${randomUUID()}`;
  return new Accounts([config], {
    ...{ store, clock: systemClock, newId: randomUUID, random: Math.random, environment: {} },
    ...{ instance: () => id, bounds: bridgeBounds, onAway: () => undefined },
    sealing: { sealer: new Sealer(key, randomBytes), randomBytes },
  });
}

async function stateFrom(accounts: Accounts, user = 'user:ann'): Promise<string> {
  const { url } = await accounts.begin(user, 'notes', back);
  return new URL(url).searchParams.get('state') ?? '';
}

test.each<[string, (said: Said, origin: string) => Said, string]>([
  ['another issuer than its own', (said) => ({ ...said, issuer: 'https://other.example' }), 'IssuerMismatch'],
  [
    'a script as the address to open',
    (said) => ({ ...said, authorization_endpoint: 'javascript:alert(1)' }),
    'ZodError',
  ],
  ['an address in clear elsewhere', (said) => ({ ...said, authorization_endpoint: 'http://app.example/' }), 'no https'],
  ['a token endpoint in clear', (said) => ({ ...said, token_endpoint: 'http://app.example/token' }), 'no https'],
  ['credentials in an address', (said) => ({ ...said, token_endpoint: 'https://a:b@app.example/token' }), 'no https'],
  ['no PKCE', (said) => ({ ...said, code_challenge_methods_supported: ['plain'] }), 'PKCE'],
  ['nothing of PKCE', ({ code_challenge_methods_supported: _, ...said }) => said, 'PKCE'],
  ['no registration', ({ registration_endpoint: _, ...said }) => said, 'registers no clients'],
  ['too much', (said) => ({ ...said, more: 'x'.repeat(100_000) }), 'cannot be connected'],
])('an authorization server that says %s is not taken, and its words are not repeated', async (_, change, why) => {
  const hostile = await login((said) => change(said, ''));
  const accounts = bridge(hostile.config, shared().client);
  const failed: unknown = await accounts.begin('user:ann', 'notes', back).catch((error: unknown) => error);
  expect(String(failed)).toContain(why);
  expect(String(failed)).not.toMatch(/javascript|other\.example|app\.example|xxx/);
  expect(hostile.requests).not.toContain('POST /register');
});

test('what was begun is finished by whoever began it, once, at any bridge', async () => {
  const { config } = await login();
  const { client } = shared();
  const [one, other] = [bridge(config, client), bridge(config, client)];
  const [first, second] = [await stateFrom(one), await stateFrom(one)];
  await expect(other.finish('user:bob', first, none, ann)).rejects.toThrow('somebody else began');
  await expect(other.finish('user:ann', `${first.slice(0, -4)}AAAA`, none, ann)).rejects.toThrow('not begun here');
  expect(await other.finish('user:ann', first, none, ann)).toBe('notes');
  for (const state of [first, second])
    await expect(one.finish('user:ann', state, none, ann)).rejects.toThrow('has been used already');
  expect(await one.token('user:ann', 'notes')).toEqual({ kind: 'token', text: 'access-1' });
  expect(await one.token('user:bob', 'notes')).toEqual({ kind: 'none' });
});

test('of many calls at two bridges whose token was refused, one spends the refresh token', async () => {
  const { config, spent, holdUntil } = await login();
  const { client } = shared();
  const [one, other] = [bridge(config, client), bridge(config, client)];
  await one.finish('user:ann', await stateFrom(one), none, ann);
  expect(await other.token('user:ann', 'notes')).toEqual({ kind: 'token', text: 'access-1' });
  let release: () => void = () => undefined;
  holdUntil(
    new Promise((resolve) => {
      release = resolve;
    }),
  );
  const renewing = [one, other, one, other].map((each) => each.renewed('user:ann', 'notes', 'access-1'));
  await expect.poll(() => spent).toEqual(['refresh-1']);
  release();
  expect(await Promise.all(renewing)).toEqual(Array(4).fill({ kind: 'token', text: 'access-2' }));
  expect(spent).toEqual(['refresh-1']);
});

test('without its key nobody opens what is left of an account, and what was disconnected is used by no bridge', async () => {
  const { config } = await login();
  const { client, keys } = shared();
  const [one, other] = [bridge(config, client), bridge(config, client)];
  await one.finish('user:ann', await stateFrom(one), none, ann);
  expect(await other.token('user:ann', 'notes')).toMatchObject({ kind: 'token' });
  expect(keys.size).toBe(1);
  // Somebody who died between the two steps.
  const [id = ''] = keys.keys();
  const kept = keys.get(id) ?? new Uint8Array();
  keys.delete(id);
  expect(await bridge(config, client).token('user:ann', 'notes')).toEqual({ kind: 'none' });
  keys.set(id, kept);
  expect(await one.disconnect('user:ann', 'notes', ann)).toBe(true);
  expect(keys.size).toBe(0);
  expect(await other.token('user:ann', 'notes')).toEqual({ kind: 'none' });
});
