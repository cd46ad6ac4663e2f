import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bankConfig, signsIn } from './bank.ts';
import { until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { sendJson } from './send-json.ts';
import { filesOf } from './spellings.ts';
import { bearer, jwtTaken, tokenOf } from './tokens.ts';

/** API keys: whose they are, what may be done with them, and what of them is nowhere; in one process and in many. */
let model: ScriptedModel;
let tools: HttpTools;
let place: Workplace;
let platform: Platform;
/** What came with each call of a tool. */
let forwarded: (string | undefined)[] = [];
/** The super administrator. */
let boss: Readonly<Record<string, string>>;
let me: string;

const keyOf = async (more: object = {}) => {
  const { json } = await send('POST', `/users/${me}/keys`, { headers: boss, body: { name: 'ci', ...more } });
  return { id: json.key.id as string, text: json.key.text as string };
};

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools({
    onCall: ({ authorization }) => {
      forwarded.push(authorization);
      return 'done';
    },
  });
  place = workplace();
  const jwt = await jwtTaken(place.folder);
  platform = await start(place, bankConfig(place, tools, signsIn(jwt)), { env: model.env });
  const setupKey = [place.dataDir, join(place.dataDir, 'approvals'), join(place.dataDir, 'approvals-1')]
    .map((folder) => join(folder, 'setup-key'))
    .find(existsSync);
  if (setupKey === undefined) throw new Error('there is no setup-key');
  const headers = { 'x-api-key': readFileSync(setupKey, 'utf8').trim() };
  await send('POST', '/users', { headers, body: { email: 'boss@x.example', name: 'Boss' } });
  boss = bearer(await tokenOf('boss@x.example'));
  me = (await send('GET', '/me', { headers: boss })).json.user.id;
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await Promise.all([model.stop(), tools.stop()]);
  place.remove();
});

type Sent = { readonly body?: object | undefined; readonly headers?: Readonly<Record<string, string>> | undefined };

const send = (method: string, path: string, { body, headers }: Sent = {}) =>
  sendJson(new URL(path, platform.url), method, headers, body);

test('are taken in either header until they are revoked, and their text is nowhere', async () => {
  const { id, text } = await keyOf();
  const ways = [{ 'x-api-key': text }, bearer(text)];
  for (const headers of ways) expect((await send('GET', '/conversations', { headers })).status).toBe(200);
  const listed = await send('GET', `/users/${me}/keys`, { headers: boss });
  expect(listed.text).toContain(id);
  expect(listed.text).not.toContain(text);
  expect((await send('DELETE', `/users/${me}/keys/${id}`, { headers: boss })).status).toBe(200);
  const none = await send('DELETE', `/users/${me}/keys/none`, { headers: boss });
  expect([none.status, JSON.parse(none.text)]).toEqual([404, { error: 'there is no API key none' }]);
  for (const headers of ways) expect((await send('GET', '/conversations', { headers })).status).toBe(401);
  expect(platform.output()).not.toContain(text);
  for (const content of filesOf(place.dataDir)) expect(content.includes(text)).toBe(false);
});

test('allow what their scopes say, whatever the role', async () => {
  const headers = { 'x-api-key': (await keyOf({ scopes: ['read'] })).text };
  for (const [method, path, body, status] of [
    ['GET', '/conversations', undefined, 200],
    ['POST', '/conversations', {}, 403],
    ['POST', `/users/${me}/keys`, { name: 'more' }, 403],
    ['POST', '/users', { email: 'a@b.example', name: 'A' }, 403],
  ] as const)
    expect([method, path, (await send(method, path, { headers, body })).status]).toEqual([method, path, status]);
});

test('are made by whoever they are for: an administrator takes over no account, and a key makes none that may more', async () => {
  const dan = bearer(await tokenOf('dan@x.example'));
  const danId = (await send('GET', '/me', { headers: dan })).json.user.id;
  expect((await send('PATCH', `/users/${danId}`, { headers: boss, body: { role: 'ADMIN' } })).status).toBe(200);
  const ed = bearer(await tokenOf('ed@x.example'));
  const edId = (await send('GET', '/me', { headers: ed })).json.user.id;
  const { id: ofBoss } = await keyOf();
  for (const [headers, method, path, status] of [
    // The super administrator's, and those of somebody who has signed in with their groups.
    [dan, 'POST', `/users/${me}/keys`, 403],
    [dan, 'POST', `/users/${edId}/keys`, 403],
    [boss, 'POST', `/users/${edId}/keys`, 403],
    [dan, 'DELETE', `/users/${me}/keys/${ofBoss}`, 403],
    [ed, 'POST', `/users/${edId}/keys`, 201],
  ] as const)
    expect([
      path,
      (await send(method, path, { headers, body: method === 'POST' ? { name: 'x' } : undefined })).status,
    ]).toEqual([path, status]);
  const fresh = await send('POST', '/users', { headers: dan, body: { email: 'fay@x.example', name: 'Fay' } });
  const ofFay = `/users/${fresh.json.user.id}/keys`;
  expect((await send('POST', ofFay, { headers: dan, body: { name: 'first' } })).status).toBe(403);
  const first = await send('POST', ofFay, { headers: boss, body: { name: 'first' } });
  expect((await send('POST', ofFay, { headers: boss, body: { name: 'kept' } })).status).toBe(403);
  expect(first.status).toBe(201);
  const fay = { 'x-api-key': first.json.key.text as string };
  expect((await send('GET', '/me', { headers: fay })).status).toBe(200);
  const again = async () => (await send('POST', ofFay, { headers: boss, body: { name: 'again' } })).json.error;
  await until('the use is noted', async () => (String(await again()).includes('has signed in') ? true : undefined));
  const admin = { 'x-api-key': (await keyOf({ scopes: ['admin'], expires_at: '2999-01-01T00:00:00Z' })).text };
  for (const [body, status] of [
    [{ name: 'more' }, 403],
    [{ name: 'more', scopes: ['admin'] }, 403],
    [{ name: 'more', scopes: ['admin', 'approve'], expires_at: '2998-01-01T00:00:00Z' }, 403],
    [{ name: 'more', scopes: ['admin'], expires_at: '2999-01-02T00:00:00Z' }, 403],
    [{ name: 'less', scopes: ['admin'], expires_at: '2998-01-01T00:00:00Z' }, 201],
  ] as const)
    expect([body, (await send('POST', `/users/${me}/keys`, { headers: admin, body })).status]).toEqual([body, status]);
});

test('that others made carry no groups, also once their user has signed in', async () => {
  const person = { email: 'ivy@x.example', name: 'Ivy' };
  const { id } = (await send('POST', '/users', { headers: boss, body: person })).json.user;
  const { json } = await send('POST', `/users/${id}/keys`, { headers: boss, body: { name: 'first' } });
  // Whoever made the key makes another with it, as Ivy.
  const asIvy = { 'x-api-key': json.key.text as string };
  const further = await send('POST', `/users/${id}/keys`, { headers: asIvy, body: { name: 'further' } });
  expect(further.status).toBe(201);
  const groupsOf = async (text: string) =>
    (await send('GET', '/me', { headers: { 'x-api-key': text } })).json.user.groups;
  const ivy = bearer(await tokenOf(person.email, { groups: ['finance'] }));
  const own = await send('POST', `/users/${id}/keys`, { headers: ivy, body: { name: 'own' } });
  await until('the sign-in is noted', async () => ((await groupsOf(own.json.key.text)).length > 0 ? true : undefined));
  const all = [own, { json }, further].map((one) => groupsOf(one.json.key.text));
  expect(await Promise.all(all)).toEqual([['finance'], [], []]);
});

test('carry the groups of the last token of their user', async () => {
  const hal = bearer(await tokenOf('hal@x.example', { groups: ['finance'] }));
  const { id } = (await send('GET', '/me', { headers: hal })).json.user;
  const { json } = await send('POST', `/users/${id}/keys`, { headers: hal, body: { name: 'own' } });
  const headers = { 'x-api-key': json.key.text as string };
  expect((await send('GET', '/me', { headers })).json.user.groups).toEqual(['finance']);
});

test('beside one in X-API-Key, Authorization is the tools’', async () => {
  forwarded = [];
  await model.script({ match: 'who', calls: [{ name: 'whoami' }] }, { text: 'you' });
  const headers = { 'x-api-key': (await keyOf()).text, authorization: 'Bearer of-the-tool' };
  expect((await send('POST', '/conversations', { headers, body: { message: 'who' } })).status).toBe(201);
  expect(forwarded).toEqual(['Bearer of-the-tool']);
});
