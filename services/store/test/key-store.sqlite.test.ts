import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyStoreContract } from './key-store.contract.ts';
import { freshDirectory, openParts } from './sqlite-log.ts';

keyStoreContract('sqlite', async () => {
  const dataDir = freshDirectory();
  let parts = openParts(dataDir);
  return {
    keys: () => parts.keys,
    async reopen() {
      await parts.close();
      parts = openParts(dataDir);
    },
    async close() {
      await parts.close();
      rmSync(dataDir, { recursive: true });
    },
  };
});

test('nothing of a key that was destroyed is left in the file', async () => {
  const dataDir = freshDirectory();
  const isThere = (text: string) =>
    readdirSync(dataDir).some((name) => readFileSync(join(dataDir, name), 'latin1').includes(text));
  const parts = openParts(dataDir);
  const id = randomUUID();
  const key = `key ${randomUUID()}`;
  await parts.keys.keep(id, Buffer.from(key));
  await parts.keys.keep(randomUUID(), Buffer.from('another'));
  expect(isThere(key)).toBe(true);
  await parts.keys.destroy(id);
  await parts.close();
  expect(isThere('another')).toBe(true);
  expect(isThere(key)).toBe(false);
  rmSync(dataDir, { recursive: true });
});
