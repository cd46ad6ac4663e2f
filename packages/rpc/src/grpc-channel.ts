import { unavailable } from '@stopgo/core';
import { briefly, formatAddresses, parseAddresses } from './address.ts';
import { concurrentCallsMax, messageBytesMaxDefault } from './bounds.ts';
import { checkInternalToken } from './internal-token.ts';
import { CallLifetime } from './lifetime.ts';
import type { Lookup } from './replica-addresses.ts';
import { Replicas } from './replicas.ts';
import type { Secret } from './secret.ts';
import { metadataOf } from './wire-context.ts';

export type ConnectOptions = {
  /** Sent with every call. */
  readonly internalToken?: Secret;
  /** How a name becomes addresses; the system's way by default. */
  readonly lookup?: Lookup;
  readonly limits?: {
    /** Calls open at a time at one replica; further ones wait. Default `concurrentCallsMax`. */
    readonly callsMax?: number;
    /** Largest message in either direction, in bytes. Default `messageBytesMaxDefault`. */
    readonly messageBytesMax?: number;
    /** How often names are looked up again, in milliseconds. Default `lookupMsDefault`. */
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
  readonly unary: Replicas;
  readonly streams: Replicas;
  /** Resolves once one replica is connected; rejects with `unavailable` after `timeoutMs` milliseconds. */
  ready(timeoutMs: number): Promise<void>;
  /** True if a replica is connected now, as far as is known without asking. */
  isConnected(): boolean;
  /** The replicas that are known, connected or not, each as `host:port`: to speak to each of them on a channel of its own. */
  replicas(): readonly string[];
  /** Gives the connections up. Later calls fail with `unavailable`. */
  close(): void;
};

/**
 * Opens a channel to the replicas of a service: one or more of `host:port` and `[ipv6]:port`, separated by commas, where
 * a name may stand for many addresses and is looked up again from time to time. Does not wait for them.
 *
 * Calls take turns over the replicas that are connected. One that dies is left at once, one that is frozen after
 * `keepaliveMs` + `keepaliveTimeoutMs`; the calls it had fail with `unavailable`. Where none is connected a call waits
 * for `connectWaitMs` while connections are being made, and fails with `unavailable` at once when that has failed.
 *
 * Unary calls travel on one open stream for each replica (`stopgo.rpc.v1.ExchangeService`); a large request, or one to a
 * server without that service, is a gRPC call. A call is sent at most once; only one that provably never reached a service
 * is sent again.
 *
 * Streams have connections of their own, opened with the first of them: an HTTP/2 server ends a connection on which streams
 * are given up too often (33 a second, after 1,000), and only other streams, which can begin again, may be hit by that.
 *
 * @throws Error if an address is malformed or the token unusable.
 */
export function connectGrpc(address: string, options: ConnectOptions = {}): GrpcChannel {
  checkInternalToken(options.internalToken);
  const messageBytesMax = options.limits?.messageBytesMax ?? messageBytesMaxDefault;
  const list = parseAddresses(address);
  const replicas = () =>
    new Replicas(list, {
      messageBytesMax,
      callsMax: options.limits?.callsMax ?? concurrentCallsMax,
      metadata: metadataOf(options.internalToken),
      lookup: options.lookup,
      lookupMs: options.limits?.lookupMs,
    });
  const unary = replicas();
  const streams = replicas();
  return {
    address: formatAddresses(list),
    ...(options.internalToken === undefined ? {} : { internalToken: options.internalToken }),
    messageBytesMax,
    unary,
    streams,
    ready: async (timeoutMs) => {
      const lifetime = new CallLifetime({ path: address, deadline: Date.now() + timeoutMs, timer: true });
      try {
        await unary.connected(lifetime);
      } catch (cause) {
        const text = `${briefly(formatAddresses(list))} did not answer within ${timeoutMs} ms; is the service running?`;
        throw unavailable(text, {}, { cause });
      } finally {
        lifetime.end();
      }
    },
    isConnected: () => unary.isConnected(),
    replicas: () => unary.known,
    close: () => {
      for (const pool of [unary, streams]) pool.close();
    },
  };
}
