import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountServer, accountServer } from '../account-server.ts';
import { client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { launchHere } from './platform-here.ts';
import { sendJson } from './send-json.ts';
import { stopgoHere } from './stopgo-here.ts';

/**
 * An account that a user connects at a tool server: the call that waits for it goes on by itself, once; no token is ever shown; and what is
 * disconnected is used no more.
 */
let notes: AccountServer;
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;

beforeAll(async () => {
  [notes, model] = await Promise.all([accountServer(), scriptedModel()]);
  place = workplace();
  platform = await start(
    place,
    `
host: 127.0.0.1
port: 0
log_level: debug
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers: [{ name: notes, url: ${JSON.stringify(notes.url)}, auth: oauth }]
`,
    { env: model.env },
  );
});

afterAll(async () => {
  await platform?.end('SIGTERM');
  await Promise.all([model?.stop(), notes?.stop()]);
  place?.remove();
});

beforeEach(async () => {
  notes.calls.length = 0;
  await send('DELETE', '/connections/notes');
});

const send = async (method: string, path: string, sent?: object) => {
  const { status, json: body } = await sendJson(new URL(path, platform.url), method, {}, sent);
  return { status, body };
};
const http = () => client(platform.url);

async function ask(tool: string) {
  await model.script({ match: `use ${tool}`, calls: [{ name: tool }] }, { text: 'It is done.' });
  return http().post('/conversations', { message: `use ${tool}` });
}

/** Begins, and goes through the authorization server; gives the address that the browser is led back to. */
async function cameBack(): Promise<string> {
  const { body } = await send('POST', '/connections/notes', {});
  return notes.agree(body.url);
}

const connect = async () =>
  fetch(await cameBack(), { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } });

const messagesOf = async (id: string) => (await http().get(`/conversations/${id}`)).body.conversation.messages;

test('the call that waits for an account goes on by itself once it is connected, and is made once', async () => {
  const asked = await ask('write');
  expect(asked.body.result).toMatchObject({ auth_required: true });
  expect(asked.body.result.response).toContain('Connect your account there');
  const { id } = asked.body.conversation;
  expect(notes.calls).toEqual([]);

  const page = await connect();
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Your account is connected')]);
  await expect.poll(async () => (await messagesOf(id)).at(-1)?.content).toBe('It is done.');
  expect(notes.calls).toEqual([{ tool: 'write', account: 'ann' }]);

  const { body } = await send('GET', '/connections');
  expect(body).toMatchObject({
    connections: [
      { server: 'notes', connected: true, issuer: notes.issuer, scopes: expect.arrayContaining(['notes']) },
    ],
  });
  // The next one does not wait.
  const next = await ask('write');
  expect(next.body.result).toMatchObject({ auth_required: false, response: 'It is done.' });
  expect(notes.calls).toHaveLength(2);
});

test('what came back works once, and not after the account was changed', async () => {
  const first = await cameBack();
  const other = await cameBack();
  expect((await fetch(first)).status).toBe(200);
  for (const used of [first, other]) {
    const again = await fetch(used);
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('has been used already')]);
  }
  const forged = new URL(first);
  forged.searchParams.set('state', `${forged.searchParams.get('state')?.slice(0, -6)}AAAAAA`);
  expect(await (await fetch(forged)).text()).toContain('was not begun here');
});

test('a token that the server does not take any more is refreshed, and the call is made once', async () => {
  await connect();
  notes.forgetAccessTokens();
  const before = notes.refreshes();
  const asked = await ask('write');
  expect(asked.body.result).toMatchObject({ auth_required: false, response: 'It is done.' });
  expect(notes.calls).toEqual([{ tool: 'write', account: 'ann' }]);
  expect(notes.refreshes() - before).toBe(1);
});

test('an account that cannot be refreshed is disconnected, and the call waits for another', async () => {
  await connect();
  notes.forgetAccessTokens();
  notes.refusesRefresh = true;
  const asked = await ask('write').finally(() => {
    notes.refusesRefresh = false;
  });
  expect(asked.body.result).toMatchObject({ auth_required: true });
  const { body } = await send('GET', '/connections');
  expect(body).toMatchObject({
    connections: [{ connected: false, problem: expect.stringContaining('invalid_grant') }],
  });
  await connect();
  await expect.poll(async () => (await messagesOf(asked.body.conversation.id)).at(-1)?.content).toBe('It is done.');
  expect(notes.calls).toEqual([{ tool: 'write', account: 'ann' }]);
});

test('what is disconnected is used no more, and the authorization server hears of it', async () => {
  await connect();
  const before = notes.revocations();
  expect(await send('DELETE', '/connections/notes')).toMatchObject({
    status: 200,
    body: { server: 'notes', was_connected: true },
  });
  expect(notes.revocations() - before).toBe(1);
  expect((await ask('read')).body.result).toMatchObject({ auth_required: true });
  expect(notes.calls).toEqual([]);
  expect(await send('DELETE', '/connections/notes')).toMatchObject({ body: { was_connected: false } });
  // Nothing is left waiting.
  await connect();
  await expect.poll(() => notes.calls.length).toBe(1);
});

test('no token is in an answer, in the log of the process, or in the files of the platform', async () => {
  await connect();
  const { id } = (await ask('read')).body.conversation;
  const shown = [
    JSON.stringify(await messagesOf(id)),
    (await http().get(`/conversations/${id}/export`)).text,
    (await http().get('/connections')).text,
    platform.output(),
  ].join('\n');
  expect(shown).toContain('read done for ann with Bearer');
  const files = readdirSync(place.dataDir, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  expect(files.length).toBeGreaterThan(0);
  expect(notes.tokens.length).toBeGreaterThan(1);
  for (const token of notes.tokens) for (const text of [shown, ...files]) expect(text).not.toContain(token);
});

test('a terminal connects an account, says how it is, and disconnects it', async () => {
  const stopgo = (...args: string[]) => stopgoHere([...args, '--url', platform.url]);
  let printed = '';
  launchHere(['connect', 'notes', '--url', platform.url], {}, (all) => {
    printed = all;
  });
  await expect.poll(() => /^http\S+$/m.exec(printed)?.[0]).toBeDefined();
  const back = await notes.agree(/^http\S+$/m.exec(printed)?.[0] ?? '');
  expect(back).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
  // What is no answer to it does not end it.
  expect((await fetch(new URL('/callback', back))).status).toBe(404);
  expect(await (await fetch(back)).text()).toContain('Your account is connected');
  await expect.poll(() => printed).toContain('notes is connected');
  expect((await stopgo('connect')).output).toContain(`notes  connected (${notes.issuer})`);
  expect((await stopgo('disconnect', 'notes')).output).toContain('the key of its tokens destroyed');
  expect((await stopgo('connect')).output).toContain('notes  not connected');
  expect((await stopgo('connect', 'nowhere')).output).toContain('accounts are connected at notes');
});
