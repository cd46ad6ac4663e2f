import type { DescService, Message } from '@bufbuild/protobuf';
import { DomainError, dataLoss, invalidArgument } from '@stopgo/core';
import { briefly } from './address.ts';
import { clientStream } from './client-stream.ts';
import { asIs, decode, encode, tooLarge } from './codec.ts';
import type { GrpcChannel } from './grpc-channel.ts';
import { domainErrorOfStatus, errorInTrailer, errorInTrailerField, isStatus, notAnswering } from './grpc-status.ts';
import { callLifetime } from './lifetime.ts';
import { type MessageInit, type Method, methodsOf, requestOf } from './methods.ts';
import type { CallOptions, Client, ClientDefaults } from './service-types.ts';
import { callOptionsOf, unaryAnswer } from './unary-call.ts';
import { metadataOf, wireContextOf } from './wire-context.ts';

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
    const lifetime = callLifetime(method.path, 'unary', options, defaults, { timer: true });
    try {
      const outgoing = {
        method: method.path,
        request: encodeRequest(method, request, channel.messageBytesMax),
        context: wireContextOf(options.context ?? {}),
      };
      return decodeAnswer(method, await unaryAnswer(channel, outgoing, lifetime), channel.messageBytesMax);
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
      const lifetime = callLifetime(method.path, 'stream', options, defaults, { timer: true, signal: left });
      try {
        const bytes = encodeRequest(method, request, channel.messageBytesMax);
        const metadata = metadataOf(channel.internalToken, wireContextOf(options.context ?? {}));
        metadata.set(errorInTrailerField, '1');
        const { client } = await channel.streams.pick(lifetime);
        const callOptions = callOptionsOf(lifetime);
        const call = client.makeServerStreamRequest(method.path, asIs, asIs, bytes, metadata, callOptions);
        // A canceled call reports so by an event; whoever reads gets the reason from the lifetime.
        call.on('error', () => undefined);
        let failed: DomainError | undefined;
        call.once('status', ({ metadata }) => {
          failed = errorInTrailer(metadata);
        });
        lifetime.onAbort(() => call.cancel());
        try {
          const answers = call[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
          for (;;) {
            const step = await lifetime.race(answers.next());
            if (step.done === true && failed !== undefined) throw failed;
            if (step.done === true) return;
            yield decodeAnswer(method, step.value, channel.messageBytesMax);
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

function encodeRequest(method: Method, request: MessageInit, bytesMax: number): Buffer {
  const message = requestOf(method, request);
  try {
    return encode(method.desc.input, message, method.path, bytesMax);
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    throw invalidArgument(`${method.path}: not a valid ${method.desc.input.typeName}`, {}, { cause });
  }
}

function decodeAnswer(method: Method, bytes: Uint8Array, bytesMax: number): Message {
  if (bytes.byteLength > bytesMax) throw tooLarge(method.path, bytes.byteLength, bytesMax);
  try {
    return decode(method.desc.output, bytes);
  } catch (cause) {
    throw dataLoss(`${method.path}: the answer is no valid ${method.desc.output.typeName}`, {}, { cause });
  }
}

function errorOf(error: unknown, method: Method, channel: GrpcChannel): DomainError {
  if (error instanceof DomainError) return error;
  const address = briefly(channel.address);
  if (isStatus(error)) return domainErrorOfStatus(error, method.path, address);
  // What grpc-js throws by itself: the channel has been closed.
  return notAnswering(
    method.path,
    new Error(`${method.path} at ${address}: the call could not be made`, { cause: error }),
  );
}
