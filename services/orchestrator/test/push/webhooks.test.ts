import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, facts, views } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { secretFilter } from '@stopgo/security';
import { expect, test } from 'vitest';
import { argumentsBytesShown } from '../../src/push/bounds.ts';
import { noticeBody } from '../../src/push/webhooks/body.ts';
import type { Notice } from '../../src/push/webhooks/notices.ts';
import { signatureHeaders } from '../../src/push/webhooks/sign.ts';
import { webhookKey } from '../../src/push/webhooks/webhooks.ts';

test('a body is signed as the standard has it, once with each secret', () => {
  // The example of standard-webhooks itself.
  const secret = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  expect(signatureHeaders([secret], signed)).toEqual({
    'webhook-id': signed.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  });
  const another = new Secret(`whsec_${Buffer.alloc(24, 1).toString('base64')}`);
  const both = signatureHeaders([another, secret], signed)['webhook-signature'].split(' ');
  expect([both.length, both[1]]).toEqual([2, signature]);
  expect(both[0]).not.toBe(signature);
});

test.each([
  ['', false],
  [Buffer.alloc(32).toString('base64'), false],
  [`whsec_${Buffer.alloc(23).toString('base64')}`, false],
  [`whsec_${Buffer.alloc(24).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(64).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
  [`whsec_${'?'.repeat(44)}`, false],
])('a secret %s is one: %s', (text, isOne) => {
  expect(webhookKey(text) !== undefined).toBe(isOne);
});

const notice: Notice = {
  type: 'requested',
  approvalId: 'a',
  webhooks: new Set(['ops']),
  revision: 4,
  time: Date.UTC(2026, 0, 1),
  actor: { kind: 'system', id: 'orchestrator-1' },
  number: 0,
};

function dataOf(
  approval: Parameters<typeof create<typeof views.ApprovalSchema>>[1],
  title = 'hello',
  actor: Notice['actor'] = notice.actor,
) {
  const made = create(views.ApprovalSchema, {
    id: 'a',
    conversationId: 'c',
    kind: facts.ApprovalKind.TOOL,
    status: views.ApprovalStatus.PENDING,
    tool: 'pay',
    server: 'bank',
    ...approval,
  });
  const parts = { agent: 'cashier', publicUrl: undefined, now: 0, secrets: secretFilter(['a-key-of-the-process']) };
  const text = noticeBody({ notice: { ...notice, actor }, approval: made, title, ...parts });
  return { text, data: JSON.parse(text).data };
}

test('secrets of the process, what looks like a credential, and arguments that are secret by name are nowhere', () => {
  const args = {
    note: 'Bearer abcdefgh12345678 and a-key-of-the-process',
    nested: [{ Client_Secret: 'p"ss\\word' }],
    password: { inner: 'deep-secret', pin: 7_421_905 },
    plain: 'shown',
  };
  const { text, data } = dataOf(
    {
      argumentsJson: JSON.stringify(args),
      description: `pay(${JSON.stringify(args)})`,
      reason: 'because of a-key-of-the-process',
    },
    'use a-key-of-the-process',
  );
  for (const secret of ['abcdefgh12345678', 'a-key-of-the-process', 'ss\\\\word', 'deep-secret', '7421905'])
    expect(text).not.toContain(secret);
  expect(data.approval.arguments).toMatchObject({ plain: 'shown', password: '[secret]' });
  expect(data.approval.arguments_cut).toBe(false);
});

test('a secret is known by the words of its name, however they are joined, and by the name beside its value', () => {
  const args = {
    db_password: 'one-of-them',
    nested: { 'api-token': 'two-of-them', clientSecret: 'three-of-them' },
    env: [
      { name: 'AWS_SECRET_ACCESS_KEY', value: 'four-of-them' },
      { name: 'REGION', value: 'north' },
    ],
    max_tokens: 4_000,
    key: 'customers/4000',
  };
  const { text, data } = dataOf({ argumentsJson: JSON.stringify(args), description: `pay(${JSON.stringify(args)})` });
  expect(text).not.toContain('of-them');
  expect(data.approval.arguments).toEqual({
    db_password: '[secret]',
    nested: { 'api-token': '[secret]', clientSecret: '[secret]' },
    env: [
      { name: 'AWS_SECRET_ACCESS_KEY', value: '[secret]' },
      { name: 'REGION', value: 'north' },
    ],
    ...{ max_tokens: 4_000, key: 'customers/4000' },
  });
});

test('with more secrets by name than are looked for, no arguments are shown, nor what is said of them', () => {
  const tokens = Array.from({ length: 65 }, (_, index) => `hidden-${index}`);
  const args = { token: tokens, note: tokens.join(' ') };
  const { text, data } = dataOf({ argumentsJson: JSON.stringify(args), description: `pay(${JSON.stringify(args)})` });
  expect(text).not.toContain('hidden-');
  expect(data.approval).toMatchObject({ arguments: {}, arguments_cut: true, description: '', description_cut: true });
  const fewer = dataOf({ argumentsJson: JSON.stringify({ token: tokens.slice(1), note: tokens.slice(1).join(' ') }) });
  expect(fewer.text).not.toContain('hidden-');
  expect(fewer.data.approval.arguments.note).toContain('[secret]');
});

test('long arguments and descriptions are cut, and say so', () => {
  const args = {
    first: 'x'.repeat(5_000),
    ...Object.fromEntries([...'abcdefghij'].map((key) => [key, key.repeat(900)])),
  };
  const { data } = dataOf({ argumentsJson: JSON.stringify(args), description: 'd'.repeat(10_000) });
  const { approval } = data;
  expect(Object.keys(approval.arguments)).toContain('first');
  expect(Buffer.byteLength(JSON.stringify(approval.arguments))).toBeLessThanOrEqual(argumentsBytesShown);
  expect([approval.arguments_cut, approval.description_cut]).toEqual([true, true]);
  expect(dataOf({ argumentsJson: '{"a":"b"}' }).data.approval).toMatchObject({
    arguments: { a: 'b' },
    arguments_cut: false,
    path: '/approvals/a',
  });
});

test('a changed call names who changed it, and from what; a secret of either version is in neither', () => {
  const edited = {
    argumentsJson: '{"to":"web-2","note":"was old-password-1"}',
    argumentsBeforeJson: '{"to":"web-1","password":"old-password-1"}',
    edit: {
      replaces: 'before',
      voter: { key: 'user:bob', name: 'bob@x.example', claimed: false },
      said: 'the other one',
    },
  };
  const bob = { kind: 'approver', id: 'bob@x.example', surface: 'rest', principal: 'user:bob' } as const;
  const { text, data } = dataOf(edited, 'hello', bob);
  expect(text).not.toContain('old-password-1');
  expect(data.actor).toEqual({ kind: 'person', name: 'bob@x.example', claimed: false });
  expect(data.approval).toMatchObject({
    title: 'cashier wants to call pay on bank, changed by bob@x.example',
    arguments: { to: 'web-2', note: 'was [secret]' },
    edited: {
      ...{ by: 'bob@x.example', claimed: false, said: 'the other one', replaces: 'before' },
      ...{ arguments_before: { to: 'web-1', password: '[secret]' }, arguments_before_cut: false },
    },
  });
  // It is asked for once more, because its tool has changed.
  expect(dataOf(edited).data.actor).toEqual({ kind: 'agent', name: 'cashier' });
  const claimed = dataOf({ edit: { ...edited.edit, voter: { name: 'eve', claimed: true } } }, '', bob).data;
  expect([claimed.actor, claimed.approval.edited.claimed]).toEqual([
    { kind: 'person', name: 'eve', claimed: true },
    true,
  ]);
});

test('names that would deceive are made visible, also in the title', () => {
  const { data } = dataOf({ tool: 'pay\u202eyap', server: '' });
  expect(data.approval.title).toBe('cashier wants to call pay\\u{202e}yap');
});

test('what nobody decided in time has expired, and names nobody who did', () => {
  const expired = {
    ...{ status: views.ApprovalStatus.EXPIRED, decision: facts.Decision.EXPIRED },
    ...{ decidedBy: 'orchestrator-1', decidedSaid: 'nobody decided in time' },
  };
  const { text, data } = dataOf(expired);
  expect(data.approval.title).toBe('It expired, nobody decided in time: cashier wants to call pay on bank');
  expect([data.approval.status, data.approval.decision]).toEqual(['expired', 'expired']);
  expect(text).not.toMatch(/orchestrator-1|"said"|decided_by/);
});

test('what the schema says of an approval is what is sent, field by field', () => {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../docs/webhook.schema.json'), 'utf8'));
  const { approval } = schema.$defs;
  const edit = { replaces: 'b', said: 'so', voter: { name: 'bob' } };
  const { data } = dataOf({
    argumentsJson: '{}',
    requestedAt: { seconds: 1n, nanos: 0 },
    edit,
    argumentsBeforeJson: '{}',
  });
  const { edited } = approval.properties;
  expect(Object.keys(data.approval.edited).sort()).toEqual(Object.keys(edited.properties).sort());
  expect(Object.keys(data.approval).filter((key) => !(key in approval.properties))).toEqual([]);
  expect(approval.required.filter((key: string) => !(key in data.approval))).toEqual([]);
});
