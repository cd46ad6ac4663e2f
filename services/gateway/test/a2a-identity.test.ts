import type { FirstMessage, FollowUp } from '@stopgo/a2a-agent';
import { anonymous } from '@stopgo/core';
import { expect, test } from 'vitest';
import type { A2ACall } from '../src/a2a/call.ts';
import { firstMessageIdentity, followUpIdentity } from '../src/a2a/identity.ts';

const call = { frame: { principal: anonymous }, idempotencyKey: 'k' } as unknown as A2ACall;
const said = { messageId: 'm-1', contextId: '', text: '', push: undefined, digest: { ok: true, value: 'd' } } as const;
const first: FirstMessage = { ...said, kind: 'first' };
const followUp: FollowUp = {
  ...said,
  kind: 'follow_up',
  task: { id: 't', asWritten: 't' },
  inputs: { ok: true, value: { data: [], lines: [], text: '', file: undefined } },
  decisions: { ok: true, value: [] },
};
const other = { ok: true, value: 'other' } as const;

test('a message to a task is another one with another id, other words, or to another task', () => {
  const all: FollowUp[] = [
    followUp,
    { ...followUp, messageId: 'm-2' },
    { ...followUp, digest: other },
    { ...followUp, task: { id: 't', asWritten: 'u' } },
  ];
  expect(followUpIdentity(call, { ...followUp })).toEqual(followUpIdentity(call, followUp));
  expect(new Set(all.map((one) => followUpIdentity(call, one)?.key)).size).toBe(4);
  expect(followUpIdentity(call, { ...followUp, messageId: '' })).toBeUndefined();
});

test('a first message is known by the key of its request, and has to say the same', () => {
  const digests = [first, { ...first, digest: other }, { ...first, contextId: 'c' }].map((one) => ({
    ...firstMessageIdentity(call, one),
  }));
  expect(digests.map(({ key }) => key)).toEqual(['k', 'k', 'k']);
  expect(new Set(digests.map(({ requestDigest }) => requestDigest)).size).toBe(3);
  expect(firstMessageIdentity({ ...call, idempotencyKey: undefined }, first)).toBeUndefined();
});

test('what JSON cannot say is told of where it is needed', () => {
  const digest = { ok: false, error: new Error('the message cannot be read') } as const;
  expect(() => followUpIdentity(call, { ...followUp, digest })).toThrow('the message cannot be read');
  expect(() => firstMessageIdentity(call, { ...first, digest })).toThrow('the message cannot be read');
  expect(followUpIdentity(call, { ...followUp, messageId: '', digest })).toBeUndefined();
});
