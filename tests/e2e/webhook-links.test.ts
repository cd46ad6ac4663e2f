import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { linkDigestOf } from '@stopgo/core';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { type Notification, Receiver } from './receiver.ts';
import { sendJson } from './send-json.ts';
import { bearer, jwtTaken, tokenOf } from './tokens.ts';
import { patienceMs } from './topology.ts';

/** A webhook brings a link: whoever is told decides with it, as the one it is for, whoever dies in between. */
let model: ScriptedModel;
let tools: HttpTools;
let place: Workplace;
let platform: Platform;
let desk: Receiver;
let jwt: string;
/** The text of every link that was told. */
const texts = new Set<string>();

const longMs = 120_000;
const secret = `whsec_${randomBytes(32).toString('base64')}`;
const publicUrl = 'https://agent.example.com';

const config = () => `
host: 127.0.0.1
port: 0
name: cashier
public_url: ${publicUrl}
log_level: debug
data_dir: ${JSON.stringify(place.dataDir)}
heartbeat_ttl: 1s
auth: { new_users: first_login, jwt: ${jwt} }
mcp_servers: [{ name: bank, url: ${JSON.stringify(tools.url)} }]
webhooks:
  - { name: desk, url: ${JSON.stringify(desk.url)}, secret_env: DESK_SECRET, allow_private: true, link_for: Fay@x.example }
approvals:
  rules:
    - { name: payments, tool: pay, verdict: ask, approvers: ["group:finance"], remind: [1s], notify: [desk] }`;

const startAnew = async () => {
  platform = await start(place, config(), { env: { ...model.env, DESK_SECRET: secret }, asProcess: true });
};

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools();
  place = workplace();
  desk = await new Receiver().start();
  jwt = await jwtTaken(place.folder);
  await startAnew();
}, longMs);

afterAll(async () => {
  await platform?.discard();
  await Promise.all([model.stop(), tools.stop(), desk.stop()]);
  place.remove();
}, longMs);

beforeEach(() => {
  tools.calls.length = 0;
  desk.got.length = 0;
  desk.reply = () => ({ status: 204 });
});

const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) =>
  sendJson(new URL(path, platform.url), method, headers, body);

const as = async (name: string, ...groups: readonly string[]) =>
  bearer(await tokenOf(`${name}@x.example`, { groups: [...groups] }));

/** A payment that waits. */
async function asked(message: string): Promise<string> {
  await model.script({ match: message, calls: [{ name: 'pay', args: { to: message } }] });
  return (await send('POST', '/conversations', await as('ana', 'sales'), { message })).json.result.approval.uuid;
}

const isOf = (approval: string, type: string) => (one: Notification) =>
  one.body.type === type && one.body.data.approval.id === approval;

async function told(approval: string, type: string, count = 1): Promise<Notification> {
  const found = () => desk.got.filter(isOf(approval, type));
  await vi.waitFor(() => expect(found().length).toBeGreaterThanOrEqual(count), { timeout: patienceMs, interval: 20 });
  return found()[count - 1] as Notification;
}

/** The path of the link of a notice, at the gateway; its text is kept. */
function linkOf({ body }: Notification): string {
  const url: string = body.data.link.url;
  expect(url).toMatch(/^https:\/\/agent\.example\.com\/links\/sgl_[A-Za-z0-9_-]{43}$/);
  texts.add(url.split('/').at(-1) ?? '');
  return url.slice(publicUrl.length);
}

const decide = async (path: string, decision: string) => {
  const answer = await fetch(new URL(path, platform.url), { method: 'POST', body: new URLSearchParams({ decision }) });
  return { status: answer.status, html: await answer.text() };
};

test('until its user has signed in a webhook is told without a link, and a line says so', {
  timeout: longMs,
}, async () => {
  const approval = await asked('pay nobody yet');
  const { body } = await told(approval, 'approval.requested');
  expect(body.data.link).toBeUndefined();
  expect(platform.output()).toMatch(/a webhook is told of approvals without a link.*no_user/);
});

test('whoever is told decides with the link as its user, once; what is settled brings none', {
  timeout: longMs,
}, async () => {
  expect((await send('GET', '/me', await as('fay', 'finance'))).status).toBe(200);
  const approval = await asked('pay the rent');
  const request = await told(approval, 'approval.requested');
  expect(request.body.data.link).toMatchObject({ user: 'fay@x.example', expires_at: expect.stringMatching(/Z$/) });
  const reminder = linkOf(await told(approval, 'approval.reminded'));
  expect(linkOf(request)).not.toBe(reminder);
  // Somebody's scanner of mails.
  expect((await fetch(new URL(reminder, platform.url))).status).toBe(200);
  expect(await decide(reminder, 'approve')).toMatchObject({ status: 200, html: expect.stringContaining('recorded') });
  await until('the call has run', async () => (tools.calls.length === 1 ? true : undefined));
  const settled = await told(approval, 'approval.resolved');
  expect(settled.body.data).toMatchObject({
    approval: { decided_by: { name: 'fay@x.example', claimed: false } },
    actor: { kind: 'person', name: 'fay@x.example' },
  });
  expect(settled.body.data.link).toBeUndefined();
  expect((await decide(reminder, 'reject')).status).toBe(410);
  expect((await decide(linkOf(request), 'reject')).status).toBe(409);
  expect(tools.calls).toHaveLength(1);
});

test('whoever tells is killed after the post: it is told again, with the same link, which decides', {
  timeout: longMs,
}, async () => {
  let kill: Promise<unknown> | undefined;
  desk.reply = ({ body }) => {
    if (body.type !== 'approval.requested') return { status: 204 };
    kill ??= platform.end('SIGKILL');
    return 'never';
  };
  await asked('pay twice').catch(() => undefined);
  await vi.waitFor(() => expect(kill).toBeDefined(), { timeout: patienceMs, interval: 20 });
  await kill;
  const first = desk.got.find(({ body }) => body.type === 'approval.requested') as Notification;
  desk.reply = () => ({ status: 204 });
  await startAnew();
  const again = await told(first.body.data.approval.id, 'approval.requested', 2);
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(linkOf(again)).toBe(linkOf(first));
  expect((await decide(linkOf(first), 'reject')).status).toBe(200);
  expect(tools.calls).toEqual([]);
});

test('texts of links are nowhere in the data, and in no line; their digests are', { timeout: longMs }, async () => {
  expect(texts.size).toBeGreaterThanOrEqual(3);
  const search = (words: string) => spawnSync('grep', ['-rlaF', words, place.dataDir], { encoding: 'utf8' }).stdout;
  for (const text of texts) {
    expect(platform.output()).not.toContain(text.slice('sgl_'.length));
    expect(search(text.slice('sgl_'.length))).toBe('');
    expect(search(linkDigestOf(text))).not.toBe('');
  }
});
