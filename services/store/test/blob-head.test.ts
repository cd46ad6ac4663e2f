import { expect, test } from 'vitest';
import { begun, ended, noHead, released } from '../src/adapters/jetstream/blob-head.ts';

const holder = { conversationId: 'a', runId: 'r', callId: 'c' };
const [first, second] = [
  { id: 'u1', holder },
  { id: 'u2', holder },
];

test('an upload that is ended once more, because the answer was lost, changes nothing', () => {
  const both = begun(begun(noHead, first), second);
  const whole = ended(both, first, 5, 1, 0) ?? noHead;
  expect(ended(whole, first, 5, 1, 0)).toBe(whole);
  const spare = ended(whole, second, 5, 1, 0) ?? noHead;
  expect(spare).toMatchObject({ stored: { id: 'u1' }, holders: [holder], uploads: [], dropped: [{ id: 'u2' }] });
  expect(ended(spare, second, 5, 1, 0)).toBe(spare);
});

test('an upload that was given up has come to nothing, also where others have put the bytes', () => {
  const other = { id: 'u3', holder: { ...holder, callId: 'd' } };
  const given = released(begun(begun(noHead, second), other), [holder], false, 0);
  expect(ended(given, second, 5, 1, 0)).toBeUndefined();
  const whole = ended(given, other, 5, 1, 0) ?? noHead;
  expect(ended(whole, second, 5, 1, 0)).toBeUndefined();
});
