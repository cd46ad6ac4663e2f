import { connectGrpc, type GrpcChannel, type Secret } from '@stopgo/rpc';

/** How long is waited for the first of the replicas, in milliseconds. */
const firstMs = 1_000;

/** The replicas of a service behind a channel, one by one, each on a connection of its own that is opened when it is asked for. */
export class EveryReplica {
  readonly #shared: GrpcChannel;
  readonly #internalToken: Secret | undefined;
  readonly #channels = new Map<string, GrpcChannel>();

  constructor(shared: GrpcChannel, internalToken: Secret | undefined) {
    this.#shared = shared;
    this.#internalToken = internalToken;
  }

  /** Channels to all that are known now, also to those that do not answer. Where none is known there is one: to whoever answers. */
  async all(): Promise<readonly GrpcChannel[]> {
    // Names are looked up with the first call; who has no address is heard of in the answer.
    await this.#shared.ready(firstMs).catch(() => undefined);
    const known = new Set(this.#shared.replicas());
    for (const [address, channel] of this.#channels) {
      if (known.has(address)) continue;
      this.#channels.delete(address);
      channel.close();
    }
    const channels = [...known].map((address) => this.#channelTo(address));
    return channels.length === 0 ? [this.#shared] : channels;
  }

  close(): void {
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }

  #channelTo(address: string): GrpcChannel {
    const internalToken = this.#internalToken;
    const channel =
      this.#channels.get(address) ?? connectGrpc(address, internalToken === undefined ? {} : { internalToken });
    this.#channels.set(address, channel);
    return channel;
  }
}
