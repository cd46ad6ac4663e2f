import { expect, test } from 'vitest';
import { quietSdk } from '../src/lines/quiet-sdk.ts';

test('warnings of the client library are not written, those of all others are, however often that is asked for', () => {
  const written: unknown[][] = [];
  const target = { warn: (...said: unknown[]) => void written.push(said) };
  quietSdk(target);
  const { warn } = target;
  quietSdk(target);
  expect(target.warn).toBe(warn);
  target.warn('[mcp-sdk] excluding a tool');
  target.warn('something else: %s', 1);
  target.warn({ said: '[mcp-sdk]' });
  expect(written).toEqual([['something else: %s', 1], [{ said: '[mcp-sdk]' }]]);
});
