/**
 * Typed services over gRPC or within one process: the same contract, context, deadlines, cancellation and errors.
 */
export { formatAddress, type HostPort, parseAddress, parseAddresses } from './address.ts';
export { messageBytesMaxDefault, unaryTimeoutMsDefault } from './bounds.ts';
export { checkHealth } from './check-health.ts';
export {
  type CallContext,
  forward,
  forwardDetached,
  type OutgoingContext,
} from './context.ts';
export type { OnCall, ServedCall } from './grpc-call.ts';
export { type ConnectOptions, connectGrpc, type GrpcChannel } from './grpc-channel.ts';
export { createGrpcClient } from './grpc-client.ts';
export { type BoundService, bind, type GrpcServer, type GrpcServerOptions, startGrpcServer } from './grpc-server.ts';
export { createInProcessClient, type InProcessOptions } from './in-process.ts';
export type { OnInternalError } from './internal-errors.ts';
export { checkInternalToken } from './internal-token.ts';
export {
  type Callers,
  formatPeers,
  type KnownPeers,
  type PeerName,
  parsePeers,
  peerNames,
  peerToken,
} from './peers.ts';
export { Secret } from './secret.ts';
export type { CallOptions, Client, ClientDefaults, ServiceImpl } from './service-types.ts';
