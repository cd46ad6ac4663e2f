import { notFound, unavailable } from '@stopgo/core';
import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

const conversationId = '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d';
const messageId = '0c9d2a34-8a53-4f0e-9b55-3f7f1f2b6a11';
const path = `/a2a/notify/${conversationId}/${messageId}`;
const token = 'token-of-the-task';

test.each([
  ['that is no JSON', '{"statusUpdate":'],
  ['of nothing', ''],
  ['that names another task', JSON.stringify({ taskId: 'other', token: 'other', status: { state: 'completed' } })],
])('a body %s is not read: only the address and the token count', async (_which, body) => {
  const { send, calls } = await gateway({ orchestrator: { nudgeTask: async () => ({}) } });
  const headers = { 'X-A2A-Notification-Token': token, 'Content-Type': 'application/a2a+json' };
  expect((await send('POST', path, { headers, body })).status).toBe(204);
  expect(calls.map(({ method, request }) => [method, request])).toMatchObject([
    ['nudgeTask', { conversationId, messageId, token }],
  ]);
});

test('agents may show the token as credentials, which are nobody else’s then', async () => {
  const { send, calls, lines } = await gateway({ orchestrator: { nudgeTask: async () => ({}) } });
  const headers = { Authorization: `Bearer ${token}` };
  expect((await send('POST', path, { headers })).status).toBe(204);
  expect(calls[0]?.request).toMatchObject({ token });
  expect(calls[0]?.context.bearerToken).toBeUndefined();
  expect(lines.join('')).not.toContain(token);
});

test('one answer for all that is wrong, none for who sends too much, and another for services that are away', async () => {
  let problem = notFound('conversation not found');
  const { send, calls } = await gateway({
    orchestrator: {
      nudgeTask: async () => {
        throw problem;
      },
    },
  });
  const refused = await send('POST', path, {});
  expect([refused.status, refused.json]).toEqual([404, { error: 'no task is waited for there' }]);
  problem = unavailable('no orchestrator');
  expect((await send('POST', path, {})).status).toBe(503);
  expect((await send('POST', path, { body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413);
  expect(calls).toHaveLength(2);
  expect((await send('GET', path, {})).status).toBe(405);
});
