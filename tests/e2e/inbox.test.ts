import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bankConfig, signsIn } from './bank.ts';
import { until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { sendJson } from './send-json.ts';
import { bearer, jwtTaken, tokenOf } from './tokens.ts';

/** What waits across conversations, for people who sign in: who is to look at it. In one process and in many. */
let model: ScriptedModel;
let tools: HttpTools;
let place: Workplace;
let platform: Platform;

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools();
  place = workplace();
  const jwt = await jwtTaken(place.folder);
  platform = await start(
    place,
    bankConfig(
      place,
      tools,
      `${signsIn(jwt)}
approvals:
  rules:
    - name: payments
      tool: pay
      when: "!has(args.plain)"
      verdict: ask
      approvers: ["group:finance"]
      separation_of_duties: true
`,
    ),
    { env: model.env },
  );
  // Whoever has signed in is known, with their groups.
  for (const [name, ...groups] of people) await send('GET', '/me', await as(name, ...groups));
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await Promise.all([model.stop(), tools.stop()]);
  place.remove();
});

beforeEach(() => {
  tools.calls.length = 0;
});

const people = [
  ['ana', 'finance'],
  ['bob', 'sales'],
  ['carl', 'finance'],
  ['dora', 'finance'],
] as const;
const as = async (name: string, ...groups: readonly string[]) =>
  bearer(await tokenOf(`${name}@x.example`, { groups: [...groups] }));
type Who = Readonly<Record<string, string>>;

const send = (method: string, path: string, headers: Who, body?: object) =>
  sendJson(new URL(path, platform.url), method, headers, body);

/** The first user, made with the key that sets up. */
async function administrator(): Promise<Who> {
  const path = [place.dataDir, join(place.dataDir, 'approvals'), join(place.dataDir, 'approvals-1')]
    .map((folder) => join(folder, 'setup-key'))
    .find(existsSync);
  const setup = { 'x-api-key': readFileSync(path ?? '', 'utf8').trim() };
  await send('POST', '/users', setup, { email: 'boss@x.example', name: 'Boss' });
  return as('boss');
}

/** Ana of finance asks for a payment: its conversation, and the approval that it waits for. */
async function asked(args: Readonly<Record<string, unknown>> = {}) {
  await model.script({ match: 'pay', calls: [{ name: 'pay', args }] }, { text: 'That is that.' });
  const { json } = await send('POST', '/conversations', await as('ana', 'finance'), { message: 'pay' });
  return { conversation: json.conversation.id as string, approval: json.result.approval.uuid as string };
}

const uuidsOf = async (who: Who, query: string): Promise<string[]> =>
  (await send('GET', `/approvals?${query}`, who)).json.approvals.map(({ uuid }: { uuid: string }) => uuid);

test('an approval is assigned to who may decide it, found by them, and decided by whoever may', async () => {
  const { conversation, approval } = await asked();
  const [ana, bob, carl, dora] = await Promise.all(people.map(([name, ...groups]) => as(name, ...groups)));
  const assign = (who: Who, to: string) => send('POST', `/approvals/${approval}/assign`, who, { to });
  // Who may not see it is not told of it; who asked for it must not decide it, and does not assign it.
  expect((await assign(bob!, 'carl@x.example')).status).toBe(404);
  expect([(await assign(ana!, 'carl@x.example')).status, (await assign(carl!, 'me ')).status]).toEqual([403, 200]);
  // Who may not list people is told the same of all others, and so not who there is.
  const boss = await administrator();
  for (const [to, why] of [
    ['bob@x.example', 'bob@x.example may not decide it; it needs 1 of group finance, but not who asked for it'],
    ['ana@x.example', 'ana@x.example asked for it and cannot decide it as well'],
    ['eve@x.example', 'no active user has the address eve@x.example'],
  ] as const) {
    const same = `nobody who may decide it has the address ${to}`;
    for (const [who, said] of [
      [boss, expect.stringContaining(why)],
      [carl!, `approval ${approval} is not assigned so: ${same}`],
    ] as const) {
      const { status, json } = await assign(who, to);
      expect([status, json.reason, json.error]).toEqual([409, 'assignee', said]);
    }
  }
  expect((await assign(carl!, 'no address')).status).toBe(400);
  const { json } = await assign(carl!, 'Dora@x.example');
  expect(json.approval.assignee).toMatchObject({
    ...{ name: 'dora@x.example', claimed: false, assigned_by: { name: 'carl@x.example', claimed: false } },
  });

  await until('Dora finds it', async () => ((await uuidsOf(dora!, 'assignee=me')).length === 1 ? true : undefined));
  expect(await uuidsOf(dora!, 'assignee=me&tool=pay')).toEqual([approval]);
  expect(await uuidsOf(carl!, 'assignee=me')).toEqual([]);
  expect(await uuidsOf(carl!, 'may_decide=me&assignee=dora@x.example')).toEqual([approval]);
  expect(await uuidsOf(ana!, 'assignee=dora@x.example')).toEqual([approval]);
  expect(await uuidsOf(ana!, 'assignee=none')).toEqual([]);
  // It is in nobody's list who may not see it, whomever they ask for.
  for (const query of ['assignee=dora@x.example', 'assignee=me', 'assignee=none'])
    expect(await uuidsOf(bob!, query)).toEqual([]);
  const counts = async (who: Who) => (await send('GET', '/approvals/counts', who)).json.counts;
  expect(await counts(dora!)).toEqual({ waiting: 0, may_decide: 1, overdue: 0, assigned_to_me: 1 });
  expect(await counts(carl!)).toEqual({ waiting: 0, may_decide: 1, overdue: 0, assigned_to_me: 0 });

  expect((await send('POST', `/approvals/${approval}/unassign`, dora!, {})).json.approval.assignee).toBeUndefined();
  expect((await assign(dora!, 'me')).json.approval.assignee).toMatchObject({ name: 'dora@x.example' });
  // A hint: Carl decides it all the same, and then nobody assigns it.
  expect((await send('POST', `/approvals/${approval}`, carl!, { approved: true })).status).toBe(200);
  const late = await assign(carl!, 'dora@x.example');
  expect([late.status, late.json.reason]).toEqual([409, 'settled']);
  const events = await fetch(new URL(`/conversations/${conversation}/events`, platform.url), { headers: ana! });
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: approval_resolved')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  const said = [...text.matchAll(/event: approval_assigned\ndata: (.*)/g)].map(([, data = '']) => JSON.parse(data));
  expect(said.map(({ actor, payload }) => [actor.id, payload.assignee?.name])).toEqual([
    ['carl@x.example', 'carl@x.example'],
    ['carl@x.example', 'dora@x.example'],
    ['dora@x.example', undefined],
    ['dora@x.example', 'dora@x.example'],
  ]);
});

test('what names nobody is assigned to who may decide in that conversation, once under one key', async () => {
  const { approval } = await asked({ plain: true });
  const ana = await as('ana', 'finance');
  const assign = (to: string, key: string) =>
    send('POST', `/approvals/${approval}/assign`, { ...ana, 'idempotency-key': `assignment-number-${key}` }, { to });
  const { status, json } = await assign('carl@x.example', 'one');
  expect([status, json.error]).toEqual([409, expect.stringContaining('nobody who may decide it has the address carl')]);
  expect((await assign('me', 'two')).status).toBe(200);
  expect((await assign('carl@x.example', 'two')).status).toBe(422);
  expect((await assign('me', 'two')).json.approval.assignee).toMatchObject({ name: 'ana@x.example' });
  expect((await send('POST', `/approvals/${approval}`, ana, { approved: true })).status).toBe(200);
});

test('of an assignment and a decision at the same time, either comes first and nothing settled is assigned', async () => {
  const { approval } = await asked();
  const [, , carl, dora] = await Promise.all(people.map(([name, ...groups]) => as(name, ...groups)));
  const path = `/approvals/${approval}`;
  const [decided, ...assigned] = await Promise.all([
    send('POST', path, carl!, { approved: true }),
    ...Array.from({ length: 4 }, (_, n) =>
      send('POST', `${path}/assign`, dora!, { to: n % 2 === 0 ? 'me' : 'carl@x.example' }),
    ),
  ]);
  expect(decided?.status).toBe(200);
  for (const { status, json } of assigned)
    expect([status, json.reason]).toEqual(status === 200 ? [200, undefined] : [409, 'settled']);
  const { json } = await send('GET', path, carl!);
  expect(json.approval).toMatchObject({ status: 'approved', decided_by: 'carl@x.example' });
  expect(json.approval.assignee === undefined).toBe(assigned.every(({ status }) => status === 409));
});
