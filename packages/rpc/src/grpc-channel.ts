import { Client, connectivityState, credentials } from '@grpc/grpc-js';
import { unavailable } from '@stopgo/core';
import { briefly, formatAddresses, parseAddresses } from './address.ts';
import { KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS, MESSAGE_BYTES_MAX, RECONNECT_MS_MAX, RECONNECT_MS_MIN } from './bounds.ts';
import { balanced } from './grpc-balancer.ts';
import { type Lookup, resolved } from './grpc-resolver.ts';
import { checkInternalToken } from './internal-token.ts';
import type { Secret } from './secret.ts';

export type ConnectOptions = {
  /** Sent with every call. */
  readonly internalToken?: Secret;
  /** How a name becomes addresses; the system's way by default. */
  readonly lookup?: Lookup;
  readonly limits?: {
    /** Largest message in either direction, in bytes. Default `MESSAGE_BYTES_MAX`. */
    readonly messageBytesMax?: number;
    /** How often names are looked up again, in milliseconds. Default `LOOKUP_MS`. */
    readonly lookupMs?: number;
  };
};

/** Connections to all replicas of a service, shared by the clients of what they serve. They reconnect by themselves. */
export type GrpcChannel = {
  /** What it was opened with, separated by commas. */
  readonly address: string;
  readonly internalToken?: Secret;
  readonly messageBytesMax: number;
  /** For {@link createGrpcClient} only: of unary calls, and of streams, which have connections of their own. */
  readonly grpc: Client;
  readonly streams: Client;
  /** Resolves once one replica is connected; rejects with `unavailable` after `timeoutMs` milliseconds. */
  ready(timeoutMs: number): Promise<void>;
  /** True if a replica is connected now, as far as is known without asking. */
  isConnected(): boolean;
  /** Gives the connections up. Later calls fail with `unavailable`. */
  close(): void;
};

/**
 * Opens a channel to the replicas of a service: one or more of `host:port` and `[ipv6]:port`, separated by commas, where
 * a name may stand for many addresses and is looked up again from time to time. Does not wait for them.
 *
 * Calls take turns over the replicas that are connected. One that dies is left at once, one that is frozen after
 * `KEEPALIVE_MS` + `KEEPALIVE_TIMEOUT_MS`; the calls it had fail with `unavailable`. Where none is connected a call waits
 * for `CONNECT_WAIT_MS` while connections are being made, and fails with `unavailable` at once when that has failed.
 *
 * A call is sent at most once; only one that provably never reached a service is sent again.
 *
 * Streams have connections of their own, opened with the first of them: an HTTP/2 server ends a connection on which streams
 * are given up too often (33 a second, after 1,000), and only other streams, which can begin again, may be hit by that.
 *
 * @throws Error if an address is malformed or the token unusable.
 */
export function connectGrpc(address: string, options: ConnectOptions = {}): GrpcChannel {
  checkInternalToken(options.internalToken);
  const messageBytesMax = options.limits?.messageBytesMax ?? MESSAGE_BYTES_MAX;
  const addresses = formatAddresses(parseAddresses(address));
  const open = () => openClient(addresses, options, messageBytesMax);
  const grpc = open();
  let streams: Client | undefined;
  return {
    address: addresses,
    ...(options.internalToken === undefined ? {} : { internalToken: options.internalToken }),
    messageBytesMax,
    grpc,
    get streams() {
      streams ??= open();
      return streams;
    },
    ready: (timeoutMs) =>
      new Promise((resolve, reject) => {
        grpc.waitForReady(Date.now() + timeoutMs, (error) => {
          if (error === undefined) resolve();
          else
            reject(unavailable(`${briefly(addresses)} did not answer within ${timeoutMs} ms; is the service running?`));
        });
      }),
    isConnected: () => grpc.getChannel().getConnectivityState(false) === connectivityState.READY,
    close: () => {
      // One that is opened later fails like one that was closed.
      streams ??= open();
      for (const client of [grpc, streams]) client.close();
    },
  };
}

function openClient(addresses: string, options: ConnectOptions, messageBytesMax: number): Client {
  const servers = resolved(addresses, { lookup: options.lookup, lookupMs: options.limits?.lookupMs });
  return new Client(servers.target, credentials.createInsecure(), {
    ...servers.options,
    'grpc.service_config': balanced(),
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    // A server that froze while nobody called must not be given the next call.
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS_MIN,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS_MAX,
    // Closing one channel must not touch another to the same address.
    'grpc.use_local_subchannel_pool': 1,
    // Neither DNS records nor proxy variables decide how our services talk to each other.
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
  });
}
