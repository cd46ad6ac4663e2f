import { Client, credentials } from '@grpc/grpc-js';
import { unavailable } from '@stopgo/core';
import { formatAddress, parseAddress } from './address.ts';
import { KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS, MESSAGE_BYTES_MAX, RECONNECT_MS_MAX, RECONNECT_MS_MIN } from './bounds.ts';
import { checkInternalToken } from './internal-token.ts';
import type { Secret } from './secret.ts';

export type ConnectOptions = {
  /** Sent with every call. */
  readonly internalToken?: Secret;
  readonly limits?: {
    /** Largest message in either direction, in bytes. Default `MESSAGE_BYTES_MAX`. */
    readonly messageBytesMax?: number;
  };
};

/** A connection to a gRPC server, shared by the clients of all its services. It reconnects by itself. */
export type GrpcChannel = {
  readonly address: string;
  readonly internalToken?: Secret;
  readonly messageBytesMax: number;
  /** For {@link createGrpcClient} only. */
  readonly grpc: Client;
  /** Resolves once connected; rejects with `unavailable` after `timeoutMs` milliseconds. */
  ready(timeoutMs: number): Promise<void>;
  /** Gives the connection up. Later calls fail with `unavailable`. */
  close(): void;
};

/**
 * Opens a channel, without waiting for the server: a call fails with `unavailable` while there is none.
 * A call is sent at most once; only one that provably never reached a service is sent again.
 *
 * @throws Error if the address is malformed or the token unusable.
 */
export function connectGrpc(address: string, options: ConnectOptions = {}): GrpcChannel {
  checkInternalToken(options.internalToken);
  const messageBytesMax = options.limits?.messageBytesMax ?? MESSAGE_BYTES_MAX;
  const target = formatAddress(parseAddress(address));
  const grpc = new Client(target, credentials.createInsecure(), {
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS_MIN,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS_MAX,
    // Closing one channel must not touch another to the same address.
    'grpc.use_local_subchannel_pool': 1,
    // Neither DNS records nor proxy variables decide how our services talk to each other.
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
  });
  return {
    address: target,
    ...(options.internalToken === undefined ? {} : { internalToken: options.internalToken }),
    messageBytesMax,
    grpc,
    ready: (timeoutMs) =>
      new Promise((resolve, reject) => {
        grpc.waitForReady(Date.now() + timeoutMs, (error) => {
          if (error === undefined) resolve();
          else reject(unavailable(`${target} did not answer within ${timeoutMs} ms; is the service running?`));
        });
      }),
    close: () => grpc.close(),
  };
}
