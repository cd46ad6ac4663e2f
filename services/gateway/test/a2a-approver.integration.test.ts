import { envelope } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { APPROVAL, approval, fresh, ID, OTHER_APPROVAL, settled, storeOf, waiting } from './support/views.ts';

/** Who decides or cancels over A2A says under which name; it is recorded as what it is, a claim. */
const second = approval({ id: OTHER_APPROVAL });
const view = waiting([approval(), second], { pendingApprovalIds: [APPROVAL, OTHER_APPROVAL] });
const turn = { turn: { view: settled('done') } };
const parked = {
  bridge: { listTools: async () => ({ tools: [] }) },
  store: { ...storeOf(view), readStream: async () => ({ events: [] }) },
  approvals: { resolve: async () => turn },
  orchestrator: { cancelRun: async () => turn },
};
const decision = (by: unknown, id = APPROVAL) => ({ approval_id: id, decision: 'approve', by });
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const said = (...data: readonly unknown[]) =>
  rpc('SendMessage', {
    message: { messageId: 'm', taskId: ID, role: 'ROLE_USER', parts: data.map((one) => ({ data: one })) },
  });
const legacy = (by: unknown) =>
  rpc('message/send', {
    taskId: ID,
    message: {
      role: 'user',
      parts: [
        { type: 'text', text: 'approved' },
        { type: 'data', data: decision(by) },
      ],
    },
  });
const actorsOf = (calls: readonly { readonly method: string; readonly request: unknown }[]) =>
  calls.filter(({ method }) => method === 'resolve').map(({ request }) => (request as { actor: unknown }).actor);

describe('a decision', () => {
  const claim = { kind: envelope.ActorKind.APPROVER, surface: 'a2a', claimed: true };

  test('is made under the name that comes with it, one for each, or under that of the request', async () => {
    const { send, calls } = await gateway(parked);
    await send('POST', '/a2a', { body: said(decision('alice via desk'), decision('Zoë via desk', OTHER_APPROVAL)) });
    await send('POST', '/a2a', {
      body: said(decision(undefined)),
      headers: { 'X-Approver': Buffer.from('Zoë').toString('latin1') },
    });
    await send('POST', '/a2a', { body: legacy('alice via desk') });
    await send('POST', '/a2a', { body: said(decision(undefined)) });
    expect(actorsOf(calls)).toMatchObject([
      { ...claim, id: 'alice via desk' },
      { ...claim, id: 'Zoë via desk' },
      { ...claim, id: 'Zoë' },
      { ...claim, id: 'alice via desk', surface: 'a2a-legacy' },
      { ...claim, id: 'anonymous', claimed: false },
    ]);
  });

  test.each([
    ['an empty name', said(decision(' ')), {}],
    ['a name of two lines', said(decision('ada\nroot')), {}],
    ['a name that reads backwards', said(decision('ada\u202e')), {}],
    ['a name that is too long', said(decision('x'.repeat(129))), {}],
    ['a name that is no text', said(decision(['ada'])), {}],
    ['two names', said(decision('ada')), { 'X-Approver': 'eve' }],
    ['a bad second name', said(decision('ada'), decision('a\u0000', OTHER_APPROVAL)), {}],
    ['an empty header', said(decision(undefined)), { 'X-Approver': '' }],
    ['a bad name in the dialect before', legacy('ada\nroot'), {}],
  ])('with %s decides nothing', async (_what, body, headers) => {
    const { send, calls } = await gateway(parked);
    const { json } = await send('POST', '/a2a', { body, headers });
    expect(json).toMatchObject({ id: 1, error: { code: -32602, message: expect.stringMatching(/"by"|X-Approver/) } });
    expect(actorsOf(calls)).toEqual([]);
  });
});

test.each([
  ['/a2a', rpc('CancelTask', { id: ID }), 'a2a'],
  ['/a2a/v1', rpc('tasks/cancel', { id: ID }), 'a2a'],
  [`/tasks/${ID}:cancel`, {}, 'a2a'],
  [`/v1/tasks/${ID}:cancel`, {}, 'a2a'],
  [`/conversations/${ID}/cancel`, {}, 'rest'],
])('a cancel at %s is recorded under the name of who cancels', async (path, body, surface) => {
  const { send, calls } = await gateway({ ...parked, store: storeOf(fresh()) });
  await send('POST', path, { body, headers: { 'X-Approver': 'ada' } });
  await send('POST', path, { body });
  const refused = await send('POST', path, { body, headers: { 'X-Approver': 'x'.repeat(129) } });
  expect(refused.text).toContain('X-Approver');
  const canceled = calls.filter(({ method }) => method === 'cancelRun').map(({ request }) => request);
  const actor = { kind: envelope.ActorKind.USER, surface };
  expect(canceled).toMatchObject([
    { caller: { actor: { ...actor, id: 'ada', claimed: true } } },
    { caller: { actor: { ...actor, id: 'anonymous', claimed: false } } },
  ]);
});

describe('arguments that come with a yes', () => {
  const shown = JSON.parse(approval().argumentsJson) as Record<string, unknown>;
  const withArguments = (given: unknown, word = 'approve') => ({
    approval_id: APPROVAL,
    decision: word,
    arguments: given,
  });
  const decided = (calls: readonly { readonly method: string }[]) =>
    calls.filter(({ method }) => method === 'resolve').length;

  test.each<[string, unknown, string]>([
    ['as they were shown', shown, 'approve'],
    ['in another order', Object.fromEntries(Object.entries(shown).reverse()), 'approve'],
    ['other ones beside a no', { other: 1 }, 'reject'],
  ])('%s are taken', async (_, given, word) => {
    const { send, calls } = await gateway(parked);
    await send('POST', '/a2a', { body: said(withArguments(given, word)) });
    expect(decided(calls)).toBe(1);
  });

  test.each([[{ ...shown, name: 'other' }], [{}], ['text'], [null]])(
    '%j is refused, and nothing is decided',
    async (given) => {
      const { send, calls } = await gateway(parked);
      const { json } = await send('POST', '/a2a', {
        body: said(withArguments(given), decision('ann', OTHER_APPROVAL)),
      });
      expect(json.error.message).toContain('are not those of the call');
      expect(decided(calls)).toBe(0);
    },
  );
});
