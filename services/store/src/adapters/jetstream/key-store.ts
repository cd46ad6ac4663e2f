import { jetstream, StorageType } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { KeyStore } from '../../key-store.ts';
import { askMsMax } from '../nats/bounds.ts';
import type { NatsLink } from '../nats/link.ts';
import { failureOf } from './leader.ts';

export type KeyBucketOptions = {
  readonly link: Pick<NatsLink, 'connection' | 'ask'>;
  /** Name of the stream of the event log. */
  readonly stream: string;
  readonly replicas: number;
};

/** The keys in a bucket of NATS, on the disks of its servers. It is made when it is needed first. */
export class JetStreamKeyStore implements KeyStore {
  readonly #options: KeyBucketOptions;
  #opened: Promise<KV> | undefined;

  constructor(options: KeyBucketOptions) {
    this.#options = options;
  }

  async keep(id: string, sealed: Uint8Array): Promise<void> {
    await this.#asked(async (bucket) => {
      const there = await bucket.get(id);
      if (there === null || there.operation !== 'PUT') await bucket.put(id, sealed, { timeout: askMsMax });
    });
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    const found = await this.#asked((bucket) => bucket.get(id));
    return found === null || found.operation !== 'PUT' ? undefined : found.value;
  }

  /** What was kept is removed from the bucket, and not only marked. */
  async destroy(id: string): Promise<void> {
    await this.#asked((bucket) => bucket.purge(id));
  }

  async #asked<T>(question: (bucket: KV) => Promise<T>): Promise<T> {
    const opening = this.#opened ?? this.#open();
    this.#opened = opening;
    try {
      return await this.#options.link.ask(async () => question(await opening));
    } catch (error) {
      this.#opened = undefined;
      throw failureOf(error);
    }
  }

  async #open(): Promise<KV> {
    const { link, stream, replicas } = this.#options;
    return new Kvm(jetstream(link.connection, { timeout: askMsMax })).create(`${stream}_KEYS`, {
      description: 'Sealed keys of accounts that users have connected, for Stop and Go.',
      history: 1,
      storage: StorageType.File,
      replicas,
    });
  }
}
