import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from '../src/index.ts';

test('a secret shows itself only when asked to', () => {
  const secret = new Secret('hunter2');
  const shown = [`${secret}`, String(secret), JSON.stringify({ secret }), inspect({ secret }, { showHidden: true })];
  for (const text of shown) expect(text).toMatch(/^[^h]*\[secret\][^h]*$/);
  expect(Object.values(secret)).toEqual([]);
  expect(secret.reveal()).toBe('hunter2');
});
