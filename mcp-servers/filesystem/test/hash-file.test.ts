import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, sandbox } from './sandbox.ts';

let box: Sandbox;
const put = (path: string, content: string) => writeFileSync(join(box.host, 'work', path), content);
const at = (path: string, more: object = {}) => ({ root: 'work', path, ...more });

beforeEach(() => {
  box = sandbox();
});
afterEach(() => box.remove());

test('a hash that takes too long is refused, with what to do', async () => {
  put('f', 'x'.repeat(200_000));
  const refused = (timeout_seconds?: number) =>
    box.refusal(
      'hash_file',
      at('f', { algorithm: 'md5', ...(timeout_seconds === undefined ? {} : { timeout_seconds }) }),
    );
  expect(await refused(-1)).toBe('timeout_seconds must be at least 0');
  expect(await refused(0)).toBe(
    'hash_file timed out after 0 s, with 0 bytes read: f; try again with a larger timeout_seconds (at most 300)',
  );
  box.remove();
  box = sandbox({ tickMs: 400 });
  put('f', 'x'.repeat(200_000));
  expect(await refused(1)).toBe(
    'hash_file timed out after 1 s, with 131072 bytes read: f; try again with a larger timeout_seconds (at most 300)',
  );
  expect(await box.answer('hash_file', at('f', { algorithm: 'md5', timeout_seconds: 4 }))).toMatchObject({
    size: 200_000,
  });
  box.remove();
  box = sandbox({ tickMs: 100_000 });
  put('f', 'x'.repeat(200_000));
  for (const seconds of [undefined, 9_999]) {
    expect(await refused(seconds)).toBe(
      'hash_file timed out after 300 s, with 131072 bytes read: f; this file cannot be hashed in one call',
    );
  }
});

test('a hash ends when the client gives up in the middle of the file', async () => {
  const given = new AbortController();
  let looks = 0;
  // The clock is looked at when the call begins, when the hash begins, and before each piece of the file.
  const onLook = () => {
    looks += 1;
    if (looks === 4) given.abort();
  };
  box.remove();
  box = sandbox({ signal: given.signal, onLook });
  put('f', 'x'.repeat(1_000_000));
  expect(await box.refusal('hash_file', at('f', { algorithm: 'md5' }))).toBe('hash_file was canceled');
  expect(looks).toBe(5);
});
