import { DomainError, type ErrorKind } from '@stopgo/core';
import { expect, test } from 'vitest';
import { systemClock, untilAnswered } from '../src/index.ts';

const { signal } = new AbortController();

/** Fails once in that way, then answers. */
function onceRefused(kind: ErrorKind): () => Promise<string> {
  let isFirst = true;
  return async () => {
    if (!isFirst) return 'answered';
    isFirst = false;
    throw new DomainError(kind, 'refused');
  };
}

const asked = (kind: ErrorKind): Promise<string> => untilAnswered(onceRefused(kind), systemClock, () => 0, signal);

test.each<ErrorKind>(['unavailable', 'deadline_exceeded', 'unauthenticated'])('%s is waited out', async (kind) => {
  expect(await asked(kind)).toBe('answered');
});

test('what a repetition would not mend is told at once', async () => {
  await expect(asked('invalid_argument')).rejects.toMatchObject({ kind: 'invalid_argument' });
});
