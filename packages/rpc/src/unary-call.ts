import { type Client, type CallOptions as GrpcCallOptions, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { callMovesMax, exchangePartBytesMax } from './bounds.ts';
import { asIs } from './codec.ts';
import type { ExchangeCall } from './exchange-client.ts';
import type { GrpcChannel } from './grpc-channel.ts';
import type { CallStatus } from './grpc-status.ts';
import type { CallLifetime } from './lifetime.ts';
import type { Replica } from './replica.ts';
import { metadataOf } from './wire-context.ts';

/**
 * The encoded answer to a unary call, made on an exchange where that can be, else as a gRPC call. It is sent once; what
 * was not sent, or not looked at, goes to another replica.
 *
 * @throws DomainError with what the service said or why the lifetime ended, ServiceError where gRPC failed, Error if the
 * channel is closed.
 */
export async function unaryAnswer(
  channel: GrpcChannel,
  call: ExchangeCall,
  lifetime: CallLifetime,
): Promise<Uint8Array> {
  const { unary } = channel;
  const failed = new Set<Replica>();
  let replica = unary.next() ?? (await unary.pick(lifetime));
  for (let moves = 0; moves < callMovesMax; moves++) {
    // One that is not connected fails at once, and gRPC says why.
    if (call.request.byteLength > exchangePartBytesMax || !replica.isConnected()) {
      return grpcAnswer(replica.client, channel, call, lifetime);
    }
    const outcome = await replica.exchange().call(call, lifetime);
    if (outcome.kind === 'answer') return outcome.bytes;
    if (outcome.kind === 'failure') throw outcome.error;
    if (outcome.kind === 'broken') throw thrown(unavailableFor(outcome.status.details));
    if (outcome.kind === 'not_taken') {
      replica = unary.next() ?? (await unary.pick(lifetime));
      continue;
    }
    if (outcome.status.code === status.UNIMPLEMENTED) return grpcAnswer(replica.client, channel, call, lifetime);
    failed.add(replica);
    const other = unary.next(failed);
    if (other === undefined) throw thrown(outcome.status);
    replica = other;
  }
  throw thrown(unavailableFor('no replica took the call'));
}

function grpcAnswer(
  client: Client,
  channel: GrpcChannel,
  { method, request, context }: ExchangeCall,
  lifetime: CallLifetime,
): Promise<Buffer> {
  const bytes = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  const metadata = metadataOf(channel.internalToken, context);
  return new Promise((resolve, reject) => {
    const answered = (error: ServiceError | null, answer?: Buffer) => {
      if (answer === undefined) reject(error);
      else resolve(answer);
    };
    const call = client.makeUnaryRequest(method, asIs, asIs, bytes, metadata, callOptionsOf(lifetime), answered);
    lifetime.onAbort((reason) => {
      call.cancel();
      reject(reason);
    });
  });
}

/** A call's deadline, which gRPC keeps as well, on both ends. */
export const callOptionsOf = ({ deadline }: CallLifetime): GrpcCallOptions =>
  deadline === undefined ? {} : { deadline };

const unavailableFor = (details: string): CallStatus => ({
  code: status.UNAVAILABLE,
  details,
  metadata: new Metadata(),
});

const thrown = (ended: CallStatus): ServiceError => Object.assign(new Error(ended.details), ended);
