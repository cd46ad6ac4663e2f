import { invalidArgument, isUuid, notFound } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import { sealedKeyBytesMax } from './bounds.ts';
import type { KeyStore } from './key-store.ts';

type KeyMethods = Pick<ServiceImpl<typeof store.StoreService>, 'keepKey' | 'readKey' | 'destroyKey'>;

/** What the service does with keys, over whichever keeps them. */
export function keyService(keys: KeyStore): KeyMethods {
  return {
    async keepKey({ keyId, sealed }) {
      if (sealed.byteLength === 0 || sealed.byteLength > sealedKeyBytesMax)
        throw invalidArgument(`a key has 1 to ${sealedKeyBytesMax} bytes, not ${sealed.byteLength}`);
      await keys.keep(idOf(keyId), sealed);
      return {};
    },

    async readKey({ keyId }) {
      const sealed = await keys.read(idOf(keyId));
      if (sealed === undefined) throw notFound('there is no such key: it was destroyed, or never kept');
      return { sealed };
    },

    async destroyKey({ keyId }) {
      await keys.destroy(idOf(keyId));
      return {};
    },
  };
}

function idOf(keyId: string): string {
  if (!isUuid(keyId)) throw invalidArgument('a key is named by a UUID');
  return keyId;
}
