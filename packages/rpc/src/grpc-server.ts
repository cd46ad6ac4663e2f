import type { DescService } from '@bufbuild/protobuf';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { anonymous, type Principal } from '@stopgo/core';
import { isLoopback } from '@stopgo/security';
import { formatAddress, parseAddress } from './address.ts';
import {
  clientKeepaliveMs,
  clientKeepaliveTimeoutMs,
  concurrentCallsMax,
  exchangeMessageBytesMax,
  farewellMs,
  messageBytesMaxDefault,
} from './bounds.ts';
import { asIs } from './codec.ts';
import { exchangePath } from './exchange-frames.ts';
import { ServerExchanges } from './exchange-server.ts';
import { GrpcCalls, type OnCall } from './grpc-call.ts';
import { addHealth } from './grpc-health.ts';
import { type OnInternalError, warnOfInternalError } from './internal-errors.ts';
import { checkInternalToken } from './internal-token.ts';
import { type BoundMethod, boundMethodsOf } from './methods.ts';
import { type Callers, type KnownPeers, tokenCheck } from './peers.ts';
import type { Secret } from './secret.ts';
import type { ServiceImpl } from './service-types.ts';

/** A contract with what implements it. */
export type BoundService = { readonly typeName: string; readonly methods: readonly BoundMethod[] };

/**
 * Binds an implementation to its contract, for {@link startGrpcServer}.
 *
 * @throws Error if a method is missing or streams its requests.
 */
export const bind = <S extends DescService>(service: S, impl: ServiceImpl<S>): BoundService => ({
  typeName: service.typeName,
  methods: boundMethodsOf(service, impl),
});

export type GrpcServerOptions = {
  /** `host:port` or `[ipv6]:port`; port 0 takes a free one. */
  readonly address: string;
  readonly services: readonly BoundService[];
  /** The token that all who call share: calls without it are refused with `unauthenticated`. Beyond loopback it or `peers` is required. */
  readonly internalToken?: Secret;
  /** By which tokens those who call are known, in place of one that all share. */
  readonly peers?: KnownPeers;
  /** Which of `peers` may call what; the rest is refused with `permission_denied`. Absent: all of them everything. */
  readonly callers?: Callers;
  /** Who acts in a call that names nobody in particular, or whose caller is not believed. Default: anonymous, who may do everything. */
  readonly unnamed?: Principal;
  readonly limits?: {
    /** Largest message in either direction, in bytes. Default `messageBytesMaxDefault`. */
    readonly messageBytesMax?: number;
  };
  /** Where exceptions go that callers may not see; without it a process warning names their id. */
  readonly onInternalError?: OnInternalError;
  /** Told of each call of `services` when it ends, also of refused ones; health checks are not among them. */
  readonly onCall?: OnCall;
  /** What health checks are answered at first; see {@link GrpcServer.serving}. Default true. */
  readonly serving?: boolean;
};

export type GrpcServer = {
  /** Where it listens, with the real port. */
  readonly address: string;
  /**
   * Says whether health checks (grpc.health.v1, without a token) are answered with SERVING or NOT_SERVING from now on.
   * Calls are served either way. Does nothing once the server stops.
   */
  serving(isServing: boolean): void;
  /**
   * Stops: says NOT_SERVING, refuses new calls, ends open streams with `unavailable`, lets unary calls finish for `graceMs`
   * milliseconds, then ends those too. Resolves when the port is free; never rejects; a second call waits for the first.
   */
  stop(graceMs: number): Promise<void>;
};

/**
 * Serves `services` over gRPC.
 *
 * @throws Error, in one line, if the address is malformed or cannot be listened on, the token is unusable, or the
 * address is beyond loopback and there is no token.
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { host, port } = parseAddress(options.address);
  checkInternalToken(options.internalToken);
  const expected = options.peers ?? options.internalToken;
  if (expected === undefined && !isLoopback(host)) {
    throw new Error(`refusing to listen on ${options.address} without an internal token: it is beyond loopback`);
  }
  const messageBytesMax = options.limits?.messageBytesMax ?? messageBytesMaxDefault;
  const calls = new GrpcCalls({
    checkToken: tokenCheck(expected),
    callers: options.callers,
    unnamed: options.unnamed ?? anonymous,
    messageBytesMax,
    onInternalError: options.onInternalError ?? warnOfInternalError,
    onCall: options.onCall,
  });
  const server = new Server({
    // What is larger than `messageBytesMax` but not than this is refused by `GrpcCalls`.
    'grpc.max_receive_message_length': Math.max(messageBytesMax, exchangeMessageBytesMax),
    'grpc.max_send_message_length': Math.max(messageBytesMax, exchangeMessageBytesMax),
    'grpc.max_concurrent_streams': concurrentCallsMax,
    'grpc.keepalive_time_ms': clientKeepaliveMs,
    'grpc.keepalive_timeout_ms': clientKeepaliveTimeoutMs,
  });
  for (const service of options.services) server.addService(definitionOf(service), handlersOf(service, calls));
  const methods = options.services.flatMap((service) => service.methods);
  const exchanges = new ServerExchanges(calls, methods);
  server.addService(exchange, { exchange: (stream: ServerDuplexStream<Buffer, Buffer>) => exchanges.serve(stream) });
  const typeNames = options.services.map(({ typeName }) => typeName);
  const health = await addHealth(server, typeNames, options.serving ?? true);
  const boundPort = await listen(server, formatAddress({ host, port }));

  let stopped: Promise<void> | undefined;
  return {
    address: formatAddress({ host, port: boundPort }),
    serving: health.serving,
    stop: (graceMs) => {
      health.stop();
      stopped ??= stop(server, calls, exchanges, graceMs);
      return stopped;
    },
  };
}

// Encoding is ours, so that its failures are errors like all others and nothing is read of a refused peer.
const bytes = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs };

const exchange: ServiceDefinition = {
  exchange: { path: exchangePath, requestStream: true, responseStream: true, ...bytes },
};

function definitionOf({ methods }: BoundService): ServiceDefinition {
  const entries = methods.map(({ kind, desc, path }) => [
    desc.localName,
    {
      path,
      requestStream: false,
      responseStream: kind === 'stream',
      ...bytes,
    },
  ]);
  return Object.fromEntries(entries) as ServiceDefinition;
}

function handlersOf({ methods }: BoundService, calls: GrpcCalls): UntypedServiceImplementation {
  return Object.fromEntries(
    methods.map((method) => [
      method.desc.localName,
      method.kind === 'unary' ? unaryHandler(method, calls) : streamHandler(method, calls),
    ]),
  );
}

const unaryHandler =
  (method: BoundMethod & { kind: 'unary' }, calls: GrpcCalls): handleUnaryCall<Buffer, Buffer> =>
  (call, callback) =>
    void calls.serveUnary(method, call, callback);

const streamHandler =
  (method: BoundMethod & { kind: 'stream' }, calls: GrpcCalls): handleServerStreamingCall<Buffer, Buffer> =>
  (call) =>
    void calls.serveStream(method, call);

function listen(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else {
        const reason = error.message.includes('EADDRINUSE') ? 'the port is in use (EADDRINUSE)' : error.message;
        reject(new Error(`cannot listen on ${address}: ${reason}`, { cause: error }));
      }
    });
  });
}

async function stop(server: Server, calls: GrpcCalls, exchanges: ServerExchanges, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  calls.endStreams();
  exchanges.leave();
  if (await endsWithin(closed, graceMs)) return;
  calls.endAll();
  if (await endsWithin(closed, farewellMs)) return;
  server.forceShutdown();
}

function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
