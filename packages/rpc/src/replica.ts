import { isIP } from 'node:net';
import { Client, connectivityState, credentials, type Metadata } from '@grpc/grpc-js';
import { formatAddress, type HostPort } from './address.ts';
import { exchangeMessageBytesMax, keepaliveMs, keepaliveTimeoutMs, reconnectMsMax, reconnectMsMin } from './bounds.ts';
import { ClientExchange } from './exchange-client.ts';

export type ReplicaOptions = {
  readonly messageBytesMax: number;
  /** Calls that one exchange may have open at a time. */
  readonly callsMax: number;
  /** What an exchange is opened with: the internal token. */
  readonly metadata: Metadata;
};

/** The connection to one address, which is made again by itself, and the exchange that is open on it. */
export class Replica {
  readonly client: Client;
  /** What {@link state} was when its pool was told last. */
  seen: connectivityState = connectivityState.IDLE;
  readonly #options: ReplicaOptions;
  #exchange: ClientExchange | undefined;
  #closed = false;

  constructor(address: HostPort, options: ReplicaOptions) {
    this.#options = options;
    this.client = openClient(address, options.messageBytesMax);
  }

  /** True if calls can be sent now, as far as is known without asking. */
  isConnected(): boolean {
    return this.state() === connectivityState.READY;
  }

  /** The state of the connection. */
  state(): connectivityState {
    return this.client.getChannel().getConnectivityState(false);
  }

  /** Connects, also whenever the connection has been lost, and tells each change of its state. */
  watch(onChange: () => void): void {
    if (this.#closed) return;
    const channel = this.client.getChannel();
    this.seen = channel.getConnectivityState(true);
    channel.watchConnectivityState(this.seen, Number.POSITIVE_INFINITY, () => {
      if (this.#closed) return;
      this.watch(onChange);
      onChange();
    });
  }

  /** The exchange for unary calls, opened with the first of them. */
  exchange(): ClientExchange {
    if (this.#exchange?.takesCalls !== true) this.#exchange = new ClientExchange(this.client, this.#options);
    return this.#exchange;
  }

  /** Takes no more calls. Those under way go on, and end with the connection. */
  close(): void {
    this.#closed = true;
    this.#exchange?.close();
    this.client.close();
  }
}

function openClient({ host, port }: HostPort, messageBytesMax: number): Client {
  const target = `ipv${isIP(host)}:${formatAddress({ host, port })}`;
  const receivedBytesMax = Math.max(messageBytesMax, exchangeMessageBytesMax);
  return new Client(target, credentials.createInsecure(), {
    'grpc.max_receive_message_length': receivedBytesMax,
    'grpc.max_send_message_length': receivedBytesMax,
    'grpc.keepalive_time_ms': keepaliveMs,
    'grpc.keepalive_timeout_ms': keepaliveTimeoutMs,
    // A server that froze while nobody called must not be given the next call.
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.initial_reconnect_backoff_ms': reconnectMsMin,
    'grpc.max_reconnect_backoff_ms': reconnectMsMax,
    // Closing one channel must not touch another to the same address.
    'grpc.use_local_subchannel_pool': 1,
    // Proxy variables do not decide how our services talk to each other.
    'grpc.enable_http_proxy': 0,
  });
}
