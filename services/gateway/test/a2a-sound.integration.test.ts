import { type Message, RequestMalformedError, Role } from '@stopgo/a2a-agent';
import { anonymous } from '@stopgo/rpc';
import { describe, expect, test } from 'vitest';
import type { A2ACall } from '../src/a2a/call.ts';
import { firstMessageIdentity, followUpIdentity } from '../src/a2a/identity.ts';
import { textForAgent } from '../src/a2a/message-text.ts';
import { gateway } from './support/gateway.ts';
import { fresh, ID, storeOf } from './support/views.ts';

const message = (more: Partial<Message>): Message => ({
  messageId: 'm-1',
  contextId: '',
  taskId: ID,
  role: Role.ROLE_USER,
  parts: [],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...more,
});
const data = (value: unknown): Message =>
  message({ parts: [{ content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' }] });
const call = { frame: { principal: anonymous }, idempotencyKey: 'k' } as unknown as A2ACall;

describe('what a peer sends that JSON cannot say is its fault', () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, { sum: [Number.NEGATIVE_INFINITY] }, { '\ud800': 1 }])(
    '%j',
    (value) => {
      expect(() => textForAgent(data(value), 1_000)).toThrow(RequestMalformedError);
      expect(() => followUpIdentity(call, data(value))).toThrow(RequestMalformedError);
      expect(() => firstMessageIdentity(call, data(value))).toThrow(RequestMalformedError);
      expect(() => followUpIdentity(call, message({ metadata: { value } }))).toThrow('the message cannot be read: ');
    },
  );

  test('also half of a character in a text', async () => {
    const { send, lines, calls } = await gateway({ store: storeOf(fresh()) });
    const sent = { messageId: 'm-1', taskId: ID, role: 'ROLE_USER', parts: [{ text: 'half: \ud800' }] };
    const { status, json } = await send('POST', '/message:send', { body: { message: sent } });
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('half of a surrogate pair')]);
    expect(lines.join('')).not.toContain('internal error');
    expect(calls.some(({ method }) => method === 'sendMessage')).toBe(false);
  });
});

test('data that is sound is told as it was sent', () => {
  expect(textForAgent(data({ b: 1, a: null }), 1_000)).toBe('{"b":1,"a":null}');
});
