import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOneProcess } from '@stopgo/cli';
import { linkDigestOf, linkStream, linkText, type UserPrincipal, userIdOf } from '@stopgo/core';
import { type approvals, type store, approvals as wire } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { createLogger, parseAgentConfig, type Started } from '@stopgo/runtime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { sendJson } from './send-json.ts';
import { filesOf } from './spellings.ts';
import { bearer, jwtTaken, tokenOf } from './tokens.ts';

/** Links that decide: whoever follows one changes nothing, its form decides as its user, once, and its text stays in it. */
let model: ScriptedModel;
let tools: HttpTools;
let folder: string;
let platform: Started;
let service: Client<typeof approvals.ApprovalsService>;
let log: Client<typeof store.StoreService>;
let printed = '';
let payments = 0;
/** The text of every link that was made. */
const texts: string[] = [];
let boss: Readonly<Record<string, string>>;

const configOf = (more: string) => `
host: 127.0.0.1
port: 0
log_level: debug
data_dir: ${JSON.stringify(join(folder, 'data'))}
mcp_servers: [{ name: bank, url: ${JSON.stringify(tools.url)} }]
${more}`;

const rules = `
approvals:
  rules:
    - { name: payments, tool: pay, verdict: ask, reason: "Payments <b>need</b> finance.", approvers: ["group:finance"] }`;

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools();
  folder = mkdtempSync(join(tmpdir(), 'stopgo-links-'));
  const jwt = await jwtTaken(folder);
  platform = await startOneProcess({
    config: parseAgentConfig(configOf(`auth: { new_users: first_login, jwt: ${jwt} }${rules}`), 'links.yaml').config,
    env: model.env,
    logger: createLogger({
      ...{ level: 'debug', format: 'text' },
      destination: {
        write: (line: string) => {
          printed += line;
          return true;
        },
      },
    }),
    version: 'test',
    intercept: {
      approvals: (client) => {
        service = client;
        return client;
      },
      store: (client) => {
        log = client;
        return client;
      },
    },
  });
  const setup = readFileSync(join(folder, 'data', 'setup-key'), 'utf8').trim();
  const made = await send('POST', '/users', { 'x-api-key': setup }, { email: 'boss@x.example', name: 'Boss' });
  expect(made.status).toBe(201);
  boss = bearer(await tokenOf('boss@x.example'));
});

afterAll(async () => {
  await platform.stop();
  await Promise.all([model.stop(), tools.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  tools.calls.length = 0;
});

const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) =>
  sendJson(new URL(path, platform.address), method, headers, body);

const as = async (name: string, ...groups: readonly string[]) =>
  bearer(await tokenOf(`${name}@x.example`, { groups: [...groups] }));

/** Somebody of finance, known by a sign-in that is on the record. */
async function known(name: string): Promise<string> {
  await send('GET', '/me', await as(name, 'finance'));
  const id = userIdOf(`${name}@x.example`);
  await until(`${name} is known`, async () => {
    const { user } = await log.getPerson({ by: { case: 'userId', value: id } });
    return user?.groups.includes('finance') ? true : undefined;
  });
  return id;
}

/** A payment that waits. */
async function asked(args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  payments += 1;
  // What the model would have said to a payment that was rejected is for no other one.
  const message = `pay (${payments})`;
  await model.script({ match: message, calls: [{ name: 'pay', args }] }, { match: message, text: 'That is that.' });
  return (await send('POST', '/conversations', await as('ana', 'sales'), { message })).json.result.approval.uuid;
}

async function linkFor(approvalId: string, userId: string): Promise<string> {
  const text = linkText(randomBytes(32));
  await service.makeLink({ approvalId, userId, digest: linkDigestOf(text) });
  texts.push(text);
  return text;
}

const visit = async (text: string, method = 'GET', headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(new URL(`/links/${text}`, platform.address), { method, headers });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
};

/** Sends the form, as a browser does. */
const decide = async (text: string, decision: string, reason = '', headers: Readonly<Record<string, string>> = {}) => {
  const body = new URLSearchParams({ decision, reason });
  const answer = await fetch(new URL(`/links/${text}`, platform.address), { method: 'POST', body, headers });
  return { status: answer.status, html: await answer.text() };
};

const statusOf = async (approval: string) => (await send('GET', `/approvals/${approval}`, boss)).json.approval;
const ran = (count: number) => until('the call has run', async () => (tools.calls.length === count ? true : undefined));

test('whoever follows a link changes nothing; its form decides as its user, and once', async () => {
  const approval = await asked({ note: '<script>alert(1)</script>"\'&\u202e' });
  const fay = await known('fay');
  const link = await linkFor(approval, fay);
  // A mail scanner, a preview, and a browser that comes from a page of mails.
  for (const [method, headers] of [
    ['HEAD', {}],
    ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['GET', {}],
  ] as const)
    expect((await visit(link, method, headers)).status).toBe(200);
  const page = await visit(link);
  expect(page.html).toContain('fay@x.example');
  expect(page.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page.html).toContain('Payments &lt;b&gt;need&lt;/b&gt; finance.');
  expect(page.html).not.toMatch(/<script|<b>|\u202e|src=|href=|http/i);
  expect(page.html).not.toContain(link);
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-.*frame-ancestors/,
  );
  expect(page.headers.get('content-security-policy')).not.toMatch(/script-src|unsafe/);
  expect([page.headers.get('cache-control'), page.headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
  expect(page.headers.get('referrer-policy')).toBe('strict-origin');
  expect(await statusOf(approval)).toMatchObject({ status: 'pending' });

  const done = await decide(link, 'approve', 'fine by me');
  expect([done.status, done.html]).toEqual([200, expect.stringContaining('recorded: approve')]);
  await ran(1);
  expect(await statusOf(approval)).toMatchObject({
    ...{ status: 'approved', decided_by: 'fay@x.example', decided_surface: 'link', said: 'fine by me' },
    decided_by_identity: { name: 'fay@x.example', claimed: false },
  });
  for (const again of [await decide(link, 'approve'), await decide(link, 'reject'), await visit(link)])
    expect([again.status, again.html]).toEqual([410, expect.stringContaining('has been used')]);
  expect((await visit(link)).html).not.toContain('alert');
  expect(tools.calls).toHaveLength(1);
});

test('of forms that are sent at once one decides, and the others are told that the link was used', async () => {
  const approval = await asked();
  const link = await linkFor(approval, await known('fay'));
  const sent = await Promise.all(['approve', 'approve', 'approve', 'reject'].map((word) => decide(link, word)));
  expect(sent.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
  const decided = await statusOf(approval);
  const won = sent.find(({ status }) => status === 200)?.html ?? '';
  expect(won).toContain(decided.status === 'approved' ? 'recorded: approve' : 'recorded: reject');
  // It is of this test, and of none that follows.
  if (decided.status === 'approved') await ran(1);
});

test('two links of two people decide once; the other is told who did', async () => {
  const approval = await asked();
  const [one, two] = [await linkFor(approval, await known('fay')), await linkFor(approval, await known('gus'))];
  expect((await decide(one, 'reject')).status).toBe(200);
  const late = await decide(two, 'approve');
  expect([late.status, late.html]).toEqual([409, expect.stringContaining('rejected by fay@x.example')]);
  expect(tools.calls).toEqual([]);
});

test('a foreign page cannot send the form, with the link or without', async () => {
  const approval = await asked();
  const link = await linkFor(approval, await known('fay'));
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ])
    expect([headers, (await decide(link, 'approve', '', headers)).status]).toEqual([headers, 403]);
  const guess = `sgl_${'A'.repeat(43)}`;
  const unknown = [await visit(guess), await decide(guess, 'approve'), await visit('x'), await visit(`${link}A`)];
  expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(new Set(unknown.map(({ html }) => html)).size).toBe(1);
  expect((await decide(link, 'happened')).status).toBe(400);
  expect(await statusOf(approval)).toMatchObject({ status: 'pending' });
  const own = { origin: platform.address, 'sec-fetch-site': 'same-origin' };
  expect((await decide(link, 'reject', '', own)).status).toBe(200);
});

test('who is not active or not asked any more decides nothing, and sees nothing', async () => {
  const approval = await asked({ to: 'a-secret-account' });
  const [gone, moved] = [await known('gone'), await known('moved')];
  const [ofGone, ofMoved] = [await linkFor(approval, gone), await linkFor(approval, moved)];
  expect((await send('PATCH', `/users/${gone}`, boss, { active: false })).status).toBe(200);
  await send('GET', '/me', await as('moved', 'sales'));
  await until('moved has left finance', async () => {
    const { user } = await log.getPerson({ by: { case: 'userId', value: moved } });
    return user?.groups.includes('finance') ? undefined : true;
  });
  for (const link of [ofGone, ofMoved])
    for (const answer of [await visit(link), await decide(link, 'approve')]) {
      expect(answer.status).toBe(403);
      expect(answer.html).not.toContain('a-secret-account');
    }
  expect(await statusOf(approval)).toMatchObject({ status: 'pending' });
  await expect(service.makeLink({ approvalId: approval, userId: gone, digest: 'a'.repeat(64) })).rejects.toMatchObject({
    details: { reason: 'no_user' },
  });
});

test('a link decides only what it was made for, as whom it was made for', async () => {
  const [one, other] = [await asked(), await asked()];
  const link = linkDigestOf(await linkFor(one, await known('fay')));
  const user = (id: string): UserPrincipal => ({
    ...({ kind: 'user', id, email: 'fay@x.example', name: 'Fay', role: 'ADMIN', groups: ['finance'] } as const),
    via: 'link',
  });
  const fay = userIdOf('fay@x.example');
  const yes = { kind: wire.DecisionKind.APPROVE };
  for (const [request, principal] of [
    [{ ...yes, approvalId: other, link }, user(fay)],
    [{ ...yes, approvalId: one, link }, user(userIdOf('gus@x.example'))],
    [
      { ...yes, approvalId: one, link },
      { ...user(fay), via: 'token' },
    ],
    [{ ...yes, approvalId: one }, user(fay)],
  ] as const)
    await expect(service.resolve(request, { context: { principal } })).rejects.toMatchObject({
      details: { reason: 'link' },
    });
  await expect(
    service.resolve({ ...yes, approvalId: one, link: 'f'.repeat(64) }, { context: { principal: user(fay) } }),
  ).rejects.toMatchObject({ kind: 'not_found' });
});

test('the text of a link is in no line of the log, no event and no file; its digest is', async () => {
  const link = await linkFor(await asked(), await known('fay'));
  for (const path of [
    `/links/${link}/`,
    `/links/${link}/x`,
    `/links/${link}?a=${link}`,
    `/links/${link.replace('_', '%5F')}`,
  ])
    await fetch(new URL(path, platform.address));
  await fetch(new URL(`/links/${link}`, platform.address), { method: 'PUT' });
  await fetch(new URL(`/elsewhere/${link}`, platform.address));
  const { events } = await log.readStream({ stream: linkStream(linkDigestOf(link)), fromRevision: 1 });
  expect(events).toHaveLength(1);
  expect(printed).toContain('/links/…');
  expect(texts.length).toBeGreaterThan(5);
  const files = filesOf(join(folder, 'data')).filter((file) => existsSync(file));
  expect(files.length).toBeGreaterThan(0);
  const kept = files.map((file) => readFileSync(file, 'latin1'));
  for (const text of texts) {
    const secret = text.slice(4);
    expect(printed).not.toContain(secret);
    expect(kept.some((bytes) => bytes.includes(secret))).toBe(false);
  }
});

test('made again a link is the same one, and its digest is of nothing else', async () => {
  const [one, other] = [await asked(), await asked()];
  const [fay, gus] = [await known('fay'), await known('gus')];
  const digest = linkDigestOf(linkText(randomBytes(32)));
  const [first, ...again] = await Promise.all(
    [1, 2, 3].map(() => service.makeLink({ approvalId: one, userId: fay, digest })),
  );
  expect(first?.expiresAt).toBeDefined();
  for (const { expiresAt } of again) expect(expiresAt).toEqual(first?.expiresAt);
  expect((await log.readStream({ stream: linkStream(digest), fromRevision: 1 })).events).toHaveLength(1);
  for (const of of [
    { approvalId: other, userId: fay },
    { approvalId: one, userId: gus },
  ])
    await expect(service.makeLink({ ...of, digest })).rejects.toMatchObject({ details: { reason: 'link' } });
  await expect(service.makeLink({ approvalId: one, userId: fay, digest: 'short' })).rejects.toMatchObject({
    kind: 'invalid_argument',
  });
});

test('without people who sign in there are no links', async () => {
  let lone: Client<typeof approvals.ApprovalsService> | undefined;
  const config = parseAgentConfig(configOf('').replace('/data"', '/lone"'), 'lone.yaml').config;
  const logger = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
  const intercept = {
    approvals: (client: Client<typeof approvals.ApprovalsService>) => {
      lone = client;
      return client;
    },
  };
  const other = await startOneProcess({ config, env: model.env, logger, version: 'test', intercept });
  try {
    const request = { approvalId: '00000000-0000-4000-8000-000000000000', userId: 'u' };
    await expect(lone?.makeLink(request)).rejects.toMatchObject({ details: { reason: 'no_sign_in' } });
    expect((await fetch(new URL(`/links/sgl_${'A'.repeat(43)}`, other.address))).status).toBe(404);
  } finally {
    await other.stop();
  }
});
