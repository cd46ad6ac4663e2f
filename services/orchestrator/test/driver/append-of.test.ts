import { fact, initialState } from '@stopgo/core';
import { expect, test } from 'vitest';
import { appendOf } from '../../src/driver/run/append-of.ts';

const parts = {
  state: initialState,
  runId: 'r',
  ports: { instance: 'me', newId: () => 'id' },
  now: 0,
  wantsView: false,
};

test('the start of a tool call is urgent, as its place at the server is taken; nothing else is', () => {
  const started = fact('toolCallStarted', { callId: 'c' });
  const finished = fact('toolCallFinished', { callId: 'c' });
  expect(appendOf([fact('runClaimed', { runId: 'r' }), started], parts)?.urgent).toBe(true);
  expect(appendOf([finished], parts)?.urgent).toBe(false);
  expect(appendOf([], parts)).toBeUndefined();
});
