import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { client } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { Receiver } from './receiver.ts';

/** Webhooks are told of approvals by the rules that ask for them: signed, whoever dies in between, and nobody else is. */
let model: ScriptedModel;
let tools: HttpTools;
let place: Workplace;
let platform: Platform;
let finance: Receiver;
let ops: Receiver;

const longMs = 60_000;
const secretOf = () => `whsec_${randomBytes(32).toString('base64')}`;
const [secret, oldSecret, opsSecret] = [secretOf(), secretOf(), secretOf()];
const env = () => ({ ...model.env, FINANCE_SECRET: `${secret} ${oldSecret}`, OPS_SECRET: opsSecret });
const apiKey = 'a-key-that-nobody-may-be-shown';

const config = () => `
host: 127.0.0.1
port: 0
name: cashier
public_url: https://agent.example.com
data_dir: ${JSON.stringify(place.dataDir)}
heartbeat_ttl: 1s
mcp_servers: [{ name: bank, url: ${JSON.stringify(tools.url)}, approval: require }]
webhooks:
  - { name: finance, url: ${JSON.stringify(finance.url)}, secret_env: FINANCE_SECRET, allow_private: true }
  - { name: ops, url: ${JSON.stringify(ops.url)}, secret_env: OPS_SECRET, events: [requested, resolved], allow_private: true }
approvals:
  notify: [ops]
  rules:
    - name: payments
      tool: pay
      verdict: ask
      reason: Payments need two people.
      approvers: 2 of [user:ana, user:bob, user:carl]
      remind: [1s]
      escalate: [{ after: 1500ms, to: ["user:dora"], notify: [ops] }]
      notify: [finance]
`;

const startAnew = async () => {
  platform = await start(place, config(), { env: env(), asProcess: true });
};

beforeAll(async () => {
  model = await scriptedModel();
  tools = await httpTools();
  place = workplace();
  finance = await new Receiver().start();
  ops = await new Receiver().start();
  await startAnew();
}, longMs);

afterAll(async () => {
  await platform?.discard();
  await Promise.all([model.stop(), tools.stop(), finance.stop(), ops.stop()]);
  place.remove();
}, longMs);

beforeEach(() => {
  for (const one of [finance, ops]) {
    one.got.length = 0;
    one.reply = () => ({ status: 204 });
  }
});

async function asked(tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  await model.script({ match: 'go', calls: [{ name: tool, args }] });
  const { body } = await client(platform.url).post('/conversations', { message: 'go' });
  return body.result.approval?.uuid ?? '';
}

const decide = (approval: string, name: string, body: object) =>
  client(platform.url).post(`/approvals/${approval}`, body, { 'x-approver': name });

const types = ({ got }: Receiver) => got.map(({ body }) => body.type);

test('those whom the rule names are told of all of it, signed, and others from the escalation on', {
  timeout: longMs,
}, async () => {
  const approval = await asked('pay', { to: 'web-1', password: 'hunter2-of-ana', note: `Bearer ${apiKey}` });
  await finance.reached(3);
  await decide(approval, 'ana', { approved: true });
  await decide(approval, 'bob', { approved: false, reason: 'too much' });
  await finance.reached(5);
  await ops.reached(1);
  expect(types(finance)).toEqual([
    'approval.requested',
    'approval.reminded',
    'approval.escalated',
    'approval.voted',
    'approval.resolved',
  ]);
  for (const { headers, raw } of finance.got)
    for (const one of [secret, oldSecret])
      expect(new Webhook(one).verify(raw, headers as Record<string, string>)).toBeTruthy();
  expect(() => new Webhook(opsSecret).verify(finance.got[0]!.raw, finance.got[0]!.headers as never)).toThrow();
  // Each has an id of its own.
  expect(new Set(finance.got.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
  expect(finance.got[0]?.body.data).toMatchObject({
    approval: {
      id: approval,
      status: 'pending',
      title: 'cashier wants to call pay on bank',
      tool: 'pay',
      server: 'bank',
      rule: 'payments',
      reason: 'Payments need two people.',
      arguments: { to: 'web-1' },
      who_may_decide: '2 of ana, bob, carl',
      votes_needed: 2,
      url: `https://agent.example.com/approvals/${approval}`,
    },
    actor: { kind: 'agent', name: 'cashier' },
  });
  expect(finance.got[4]?.body.data).toMatchObject({
    approval: { status: 'rejected', decision: 'rejected', decided_by: { name: 'bob' }, said: 'too much' },
    actor: { kind: 'person', name: 'bob', claimed: true },
  });
  await ops.reached(1);
  // The escalation is none of its events.
  expect(types(ops)).toEqual(['approval.resolved']);
  const all = JSON.stringify([finance.got, ops.got]);
  expect(all).not.toContain('hunter2-of-ana');
  expect(all).not.toContain(apiKey);
});

test('approvals that no rule asks for are told as the policy says, and the conversation shows how it went', {
  timeout: longMs,
}, async () => {
  const approval = await asked('whoami');
  await ops.reached(1);
  await decide(approval, 'ana', { approved: false, reason: 'no' });
  await ops.reached(2);
  expect(types(ops)).toEqual(['approval.requested', 'approval.resolved']);
  expect(finance.got).toEqual([]);
  const id = ops.got[0]?.body.data.conversation.id;
  const push = () => client(platform.url).get(`/conversations/${id}/push`);
  await vi.waitFor(async () => expect((await push()).body.configs).toMatchObject([{ deliveries: 2 }]), 30_000);
  expect((await push()).body.configs).toMatchObject([{ id: 'webhook:ops', webhook: 'ops', status: 'ok' }]);
  expect((await push()).text).not.toContain(ops.url);
});

test('a call that somebody changes is told as theirs: who, and from what', { timeout: longMs }, async () => {
  const approval = await asked('pay', { to: 'web-1' });
  await finance.reached(1);
  expect((await decide(approval, 'ana', { approved: true, arguments: { to: 'web-2' } })).status).toBeLessThan(300);
  const changed = () =>
    finance.got.find(({ body }) => body.data.approval.edited !== undefined && body.type === 'approval.requested');
  await vi.waitFor(() => expect(changed()).toBeDefined(), 30_000);
  expect(changed()?.body.data).toMatchObject({
    approval: {
      arguments: { to: 'web-2' },
      edited: { by: 'ana', claimed: true, replaces: approval, arguments_before: { to: 'web-1' } },
    },
    actor: { kind: 'person', name: 'ana', claimed: true },
  });
  const id: string = changed()?.body.data.approval.id;
  expect((await decide(id, 'bob', { approved: false, reason: 'no' })).status).toBe(200);
});

test('whoever tells is killed before it can say so: it is told again under the same id', {
  timeout: longMs,
}, async () => {
  let kill: Promise<unknown> | undefined;
  ops.reply = () => {
    // The notice has arrived, and its answer never comes.
    kill ??= platform.end('SIGKILL');
    return 'never';
  };
  await asked('whoami').catch(() => undefined);
  await ops.reached(1);
  await kill;
  ops.reply = () => ({ status: 200 });
  await startAnew();
  await ops.reached(2);
  const [first, second] = ops.got;
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.body.type).toBe('approval.requested');
});

test('secrets and addresses of webhooks are nowhere in the data, and in no line', { timeout: longMs }, async () => {
  ops.reply = () => ({ status: 500 });
  await asked('whoami');
  await vi.waitFor(() => expect(platform.output()).toContain('a webhook could not be told of an approval'), 30_000);
  const hidden = [secret, oldSecret, opsSecret].flatMap((one) => [one, one.slice('whsec_'.length)]);
  for (const one of [...hidden, ops.url, finance.url]) expect(platform.output()).not.toContain(one);
  const search = (words: string) => spawnSync('grep', ['-rlaF', words, place.dataDir], { encoding: 'utf8' }).stdout;
  // What is not secret is found by the same search.
  expect(search('webhook:ops')).not.toBe('');
  for (const one of [...hidden, ops.url, finance.url]) expect(search(one)).toBe('');
});
