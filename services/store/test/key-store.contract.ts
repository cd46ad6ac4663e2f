import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { KeyStore } from '../src/key-store.ts';

/** What every store of keys does. `reopen`: the same keys, as another process finds them. */
export function keyStoreContract(
  name: string,
  open: () => Promise<{ keys(): KeyStore; reopen(): Promise<void>; close(): Promise<void> }>,
): void {
  test(`keys in ${name}: one that is kept is there until it is destroyed, also for another process`, async () => {
    const store = await open();
    try {
      const [id, other] = [randomUUID(), randomUUID()];
      const bytes = new Uint8Array([1, 2, 3]);
      expect(await store.keys().read(id)).toBeUndefined();
      await store.keys().keep(id, bytes);
      await store.keys().keep(other, new Uint8Array([9]));
      // The same again changes nothing.
      await store.keys().keep(id, new Uint8Array([7]));
      await store.reopen();
      expect([...((await store.keys().read(id)) ?? [])]).toEqual([...bytes]);
      await store.keys().destroy(id);
      await store.keys().destroy(randomUUID());
      expect(await store.keys().read(id)).toBeUndefined();
      await store.reopen();
      expect(await store.keys().read(id)).toBeUndefined();
      expect([...((await store.keys().read(other)) ?? [])]).toEqual([9]);
    } finally {
      await store.close();
    }
  });
}
