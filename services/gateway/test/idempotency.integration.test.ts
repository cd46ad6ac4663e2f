import { failedPrecondition, isUuid } from '@stopgo/core';
import type { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import type { Sent } from './support/http.ts';
import { APPROVAL, fresh, ID, settled, storeOf, TurnOutcome } from './support/views.ts';

const KEY = 'a-key-of-24-characters-!';
const turn = { outcome: TurnOutcome.SETTLED, view: settled('done') };
const script = {
  orchestrator: {
    createConversation: async () => ({ turn: { ...turn, view: fresh() } }),
    sendMessage: async () => ({ turn }),
    cancelRun: async () => ({ turn }),
  },
  approvals: { resolve: async () => ({ turn }) },
  store: storeOf(turn.view),
};

const MUTATIONS: readonly (readonly [string, object])[] = [
  ['/conversations', { message: 'x' }],
  [`/conversations/${ID}/messages`, { message: 'x' }],
  [`/conversations/${ID}/cancel`, { reason: 'x' }],
  [`/approvals/${APPROVAL}`, { approved: true }],
];

async function idempotencies(requests: readonly (readonly [string, Sent])[]) {
  const { send, calls } = await gateway(script);
  for (const [path, sent] of requests) expect((await send('POST', path, sent)).status).toBeLessThan(300);
  return calls
    .filter(({ method }) => method !== 'getConversation')
    .map(({ request }) => request as unknown as { idempotency?: facts.Idempotency; conversationId: string });
}

const keyed = (body: object | string, more: object = {}): Sent => ({
  body,
  headers: { 'Idempotency-Key': KEY, ...more },
});

test('every change passes the key on, with a digest of what was asked', async () => {
  const sent = await idempotencies(MUTATIONS.map(([path, body]) => [path, keyed(body)]));
  expect(sent.map(({ idempotency }) => idempotency?.key)).toEqual([KEY, KEY, KEY, KEY]);
  expect(new Set(sent.map(({ idempotency }) => idempotency?.requestDigest)).size).toBe(4);
  for (const { idempotency } of sent) expect(idempotency?.requestDigest).toMatch(/^[0-9a-f]{64}$/);
});

test('the digest is of the request: spelling and preferences do not count, body, place and actor do', async () => {
  const path = `/approvals/${APPROVAL}`;
  const [first, ...others] = await idempotencies([
    [path, keyed({ action: 'happened', result: '1' })],
    [
      path,
      keyed('{ "result": "\\u0031", "action": "happened" }', { Prefer: 'respond-async', 'X-Session-ID': 'other' }),
    ],
    [path.toUpperCase().replace('/APPROVALS', '/approvals'), keyed({ action: 'happened', result: '1' })],
    [path, keyed({ action: 'happened', result: '2' })],
    [path, keyed({ action: 'happened', result: '1' }, { 'X-Approver': 'ada' })],
    [`/approvals/${ID}`, keyed({ action: 'happened', result: '1' })],
  ]);
  const same = others.map(({ idempotency }) => idempotency?.requestDigest === first?.idempotency?.requestDigest);
  expect(same).toEqual([true, true, false, false, false]);
});

test('a create with a key always makes the same conversation, without one always another', async () => {
  const sent = await idempotencies([
    ['/conversations', keyed({ message: 'x' })],
    ['/conversations', keyed({ message: 'y' })],
    ['/conversations', { body: {}, headers: { 'Idempotency-Key': `${KEY}2` } }],
    ['/conversations', {}],
    ['/conversations', {}],
  ]);
  const ids = sent.map(({ conversationId }) => conversationId);
  expect(ids[0]).toBe(ids[1]);
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) {
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^.{14}4.{4}[89ab]/);
  }
  expect(sent.map(({ idempotency }) => idempotency?.key)).toEqual([KEY, KEY, `${KEY}2`, undefined, undefined]);
});

test.each([
  ['too short', 'x'.repeat(15)],
  ['too long', 'x'.repeat(129)],
  ['a blank inside', 'eight888 eight888'],
  ['not ASCII', 'sixteen-letters-é'],
  ['two of them', ['x'.repeat(16), 'x'.repeat(16)]],
])('a key that is %s is 400 on every change', async (_name, key) => {
  const { send, calls } = await gateway(script);
  for (const [path, body] of MUTATIONS) {
    const { status, json } = await send('POST', path, { body, headers: { 'Idempotency-Key': key } });
    expect(status).toBe(400);
    expect(json.error).toMatch(/idempotency-key/i);
  }
  expect(calls).toEqual([]);
});

test('a key that stood on another request is 422', async () => {
  const { send } = await gateway({
    orchestrator: {
      sendMessage: async () => {
        throw failedPrecondition('the key was used for another request', { reason: 'idempotency_mismatch' });
      },
    },
  });
  expect((await send('POST', `/conversations/${ID}/messages`, keyed({ message: 'x' }))).status).toBe(422);
});
