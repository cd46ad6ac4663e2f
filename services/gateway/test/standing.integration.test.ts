import { notFound } from '@stopgo/core';
import { create, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { ID as conversationId, fresh as view } from './support/views.ts';

const approvalId = '11111111-1111-4111-8111-111111111111';
const standingId = '22222222-2222-4222-8222-222222222222';
const standing = { id: standingId, approvalId, server: 'files', tool: 'erase', sameArguments: true, grantedBy: 'ann' };
const revokePath = `/conversations/${conversationId}/standing/${standingId}/revoke`;

test('the like of a call is approved in so many words, by whom it names, and the conversation shows it', async () => {
  const { send, calls } = await gateway({
    approvals: {
      grantStanding: async () => ({
        view: view({ standingApprovals: [create(views.StandingApprovalSchema, standing)] }),
      }),
    },
  });
  const body = { arguments: 'same', by: 'ann' };
  const { status, json } = await send('POST', `/approvals/${approvalId}/standing`, { body });
  expect(status).toBe(200);
  const { approvalId: approval_id, sameArguments: _, grantedBy: granted_by, ...rest } = standing;
  expect(json.conversation.standing_approvals).toMatchObject([{ ...rest, approval_id, granted_by, arguments: 'same' }]);
  expect(calls[0]).toMatchObject({
    method: 'grantStanding',
    request: { approvalId, sameArguments: true, actor: { kind: 2, id: 'ann', claimed: true } },
  });
});

describe('what is not said in so many words is refused', () => {
  test.each([{}, { arguments: 'all' }, { arguments: true }])('%j', async (body) => {
    const { send, calls } = await gateway({});
    expect((await send('POST', `/approvals/${approvalId}/standing`, { body })).status).toBe(400);
    expect(calls).toEqual([]);
  });
});

test('it is taken back', async () => {
  const { send, calls } = await gateway({ approvals: { revokeStanding: async () => ({ view: view() }) } });
  const { status, json } = await send('POST', revokePath, { body: {}, headers: { 'X-Approver': 'bob' } });
  expect(status).toBe(200);
  expect(json.conversation).not.toHaveProperty('standing_approvals');
  const request = { conversationId, standingId, actor: { id: 'bob' } };
  expect(calls[0]).toMatchObject({ method: 'revokeStanding', request });
});

test('one that is not there is not found', async () => {
  const { send } = await gateway({
    approvals: {
      revokeStanding: async () => {
        throw notFound('no standing approval');
      },
    },
  });
  expect((await send('POST', revokePath, { body: {} })).status).toBe(404);
  expect((await send('POST', revokePath.replace(standingId, 'x'), { body: {} })).status).toBe(404);
});
