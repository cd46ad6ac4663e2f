import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';
import { fresh, ID, storeOf } from './support/views.ts';

test('half of a character in a text is the fault of whoever sent it', async () => {
  const { send, lines, calls } = await gateway({ store: storeOf(fresh()) });
  const sent = { messageId: 'm-1', taskId: ID, role: 'ROLE_USER', parts: [{ text: 'half: \ud800' }] };
  const { status, json } = await send('POST', '/message:send', { body: { message: sent } });
  expect([status, json.error.message]).toEqual([400, expect.stringContaining('half of a surrogate pair')]);
  expect(lines.join('')).not.toContain('internal error');
  expect(calls.some(({ method }) => method === 'sendMessage')).toBe(false);
});
