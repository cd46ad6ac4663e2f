import type { DescService, Message } from '@bufbuild/protobuf';
import type { CallOptions as GrpcCallOptions, Metadata, ServiceError } from '@grpc/grpc-js';
import { DomainError, dataLoss, invalidArgument } from '@stopgo/core';
import { briefly } from './address.ts';
import { clientStream } from './client-stream.ts';
import { asIs, decode, encode } from './codec.ts';
import type { GrpcChannel } from './grpc-channel.ts';
import { domainErrorOfStatus, notAnswering } from './grpc-status.ts';
import { type CallLifetime, callLifetime } from './lifetime.ts';
import { type MessageInit, type Method, methodsOf, requestOf } from './methods.ts';
import type { CallOptions, Client, ClientDefaults } from './service-types.ts';
import { metadataOf } from './wire-context.ts';

/** A client of the service behind `channel`. */
export function createGrpcClient<S extends DescService>(
  service: S,
  channel: GrpcChannel,
  defaults: ClientDefaults = {},
): Client<S> {
  const methods = methodsOf(service).map((method) => [
    method.desc.localName,
    method.kind === 'unary' ? unaryCall(method, channel, defaults) : streamCall(method, channel, defaults),
  ]);
  return Object.fromEntries(methods) as Client<S>;
}

function unaryCall(method: Method, channel: GrpcChannel, defaults: ClientDefaults) {
  return async (request: MessageInit, options: CallOptions = {}): Promise<Message> => {
    // gRPC keeps the deadline itself, on both ends.
    const lifetime = callLifetime(method.path, 'unary', options, defaults, { timer: false });
    try {
      const { bytes, metadata, callOptions } = outgoing(method, channel, request, options, lifetime);
      const answer = await new Promise<Buffer>((resolve, reject) => {
        const call = channel.grpc.makeUnaryRequest(
          method.path,
          asIs,
          asIs,
          bytes,
          metadata,
          callOptions,
          (error, value) => {
            if (error === null && value !== undefined) resolve(value);
            else reject(error);
          },
        );
        lifetime.onAbort((reason) => {
          call.cancel();
          reject(reason);
        });
      });
      return decodeAnswer(method, answer);
    } catch (error) {
      throw errorOf(error, method, channel);
    } finally {
      lifetime.end();
    }
  };
}

function streamCall(method: Method, channel: GrpcChannel, defaults: ClientDefaults) {
  return (request: MessageInit, options: CallOptions = {}) =>
    clientStream(method.path, async function* (left: AbortSignal): AsyncGenerator<Message, void> {
      const lifetime = callLifetime(method.path, 'stream', options, defaults, { timer: false, signal: left });
      try {
        const { bytes, metadata, callOptions } = outgoing(method, channel, request, options, lifetime);
        const call = channel.streams.makeServerStreamRequest(method.path, asIs, asIs, bytes, metadata, callOptions);
        // A canceled call reports so by an event; whoever reads gets the reason from the lifetime.
        call.on('error', () => undefined);
        lifetime.onAbort(() => call.cancel());
        try {
          const answers = call[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
          for (;;) {
            const step = await lifetime.race(answers.next());
            if (step.done === true) return;
            yield decodeAnswer(method, step.value);
          }
        } finally {
          call.cancel();
        }
      } catch (error) {
        throw errorOf(error, method, channel);
      } finally {
        lifetime.end();
      }
    });
}

type Outgoing = { readonly bytes: Buffer; readonly metadata: Metadata; readonly callOptions: GrpcCallOptions };

function outgoing(
  method: Method,
  channel: GrpcChannel,
  request: MessageInit,
  options: CallOptions,
  { deadline }: CallLifetime,
): Outgoing {
  return {
    bytes: encodeRequest(method, request, channel.messageBytesMax),
    metadata: metadataOf(options.context ?? {}, channel.internalToken),
    callOptions: deadline === undefined ? {} : { deadline },
  };
}

function encodeRequest(method: Method, request: MessageInit, bytesMax: number): Buffer {
  const message = requestOf(method, request);
  try {
    return encode(method.desc.input, message, method.path, bytesMax);
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    throw invalidArgument(`${method.path}: not a valid ${method.desc.input.typeName}`, {}, { cause });
  }
}

function decodeAnswer(method: Method, bytes: Buffer): Message {
  try {
    return decode(method.desc.output, bytes);
  } catch (cause) {
    throw dataLoss(`${method.path}: the answer is no valid ${method.desc.output.typeName}`, {}, { cause });
  }
}

function errorOf(error: unknown, method: Method, channel: GrpcChannel): DomainError {
  if (error instanceof DomainError) return error;
  const address = briefly(channel.address);
  if (isServiceError(error)) return domainErrorOfStatus(error, method.path, address);
  // What grpc-js throws by itself: the channel has been closed.
  return notAnswering(
    method.path,
    new Error(`${method.path} at ${address}: the call could not be made`, { cause: error }),
  );
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && 'details' in error && typeof error.code === 'number';
