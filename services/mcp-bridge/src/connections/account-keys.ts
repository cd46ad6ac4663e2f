import { DomainError } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { Sealer } from '@stopgo/security';

const keyBytes = 32;

/** What keys are kept with. */
export type KeyPorts = {
  readonly store: Pick<Client<typeof store.StoreService>, 'keepKey' | 'readKey' | 'destroyKey'>;
  /** Seals the keys themselves. */
  readonly sealer: Sealer;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly newId: () => string;
};

/** The keys of accounts: each seals one, stands beside the log, and can be destroyed there. */
export class AccountKeys {
  readonly #ports: KeyPorts;

  constructor(ports: KeyPorts) {
    this.#ports = ports;
  }

  /** A new key, kept before it is used. */
  async make(): Promise<{ readonly id: string; readonly key: Uint8Array }> {
    const { store: kept, sealer, randomBytes, newId } = this.#ports;
    const id = newId();
    const key = randomBytes(keyBytes);
    await kept.keepKey({ keyId: id, sealed: sealer.seal(Buffer.from(key).toString('base64'), placeOf(id)) });
    return { id, key };
  }

  /** Undefined if it was destroyed, or sealed with another key of the platform. */
  async read(id: string): Promise<Uint8Array | undefined> {
    const { store: kept, sealer } = this.#ports;
    try {
      const { sealed } = await kept.readKey({ keyId: id });
      const text = sealer.open(sealed, placeOf(id));
      return text === undefined ? undefined : Buffer.from(text, 'base64');
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return undefined;
      throw error;
    }
  }

  async destroy(id: string): Promise<void> {
    await this.#ports.store.destroyKey({ keyId: id });
  }
}

const placeOf = (id: string) => ['account key', id];
