import { once } from 'node:events';
import type { DescMessage } from '@bufbuild/protobuf';
import type { ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { type DomainError, invalidArgument, unauthenticated, unavailable } from '@stopgo/core';
import { decode, encode } from './codec.ts';
import { statusOf } from './grpc-status.ts';
import { errorForCaller, type OnInternalError } from './internal-errors.ts';
import type { TokenCheck } from './internal-token.ts';
import { type Invocation, invokeStream, invokeUnary } from './invoke.ts';
import { CallLifetime, callerLeft, deadlinePassed } from './lifetime.ts';
import type { BoundMethod, Method } from './methods.ts';
import { identityOf, internalTokenOf } from './wire-context.ts';

type UnaryCall = ServerUnaryCall<Buffer, Buffer>;
type StreamCall = ServerWritableStream<Buffer, Buffer>;

/** The calls a gRPC server is serving, and what they need. */
export class GrpcCalls {
  readonly #checkToken: TokenCheck;
  readonly #messageBytesMax: number;
  readonly #onInternalError: OnInternalError;
  readonly #open = new Map<CallLifetime, Method>();

  constructor(options: {
    readonly checkToken: TokenCheck;
    readonly messageBytesMax: number;
    readonly onInternalError: OnInternalError;
  }) {
    this.#checkToken = options.checkToken;
    this.#messageBytesMax = options.messageBytesMax;
    this.#onInternalError = options.onInternalError;
  }

  /** Ends open streams: they have no end of their own that one could wait for. */
  endStreams(): void {
    for (const [lifetime, method] of this.#open) if (method.kind === 'stream') lifetime.abort(stopping(method));
  }

  /** Ends every call that is still open. */
  endAll(): void {
    for (const [lifetime, method] of this.#open) lifetime.abort(stopping(method));
  }

  /** Serves a unary call. Never rejects. */
  async serveUnary(
    method: BoundMethod & { kind: 'unary' },
    call: UnaryCall,
    callback: sendUnaryData<Buffer>,
  ): Promise<void> {
    const lifetime = this.#begin(method, call);
    try {
      const answer = await invokeUnary(method, this.#invocation(method, call, lifetime));
      callback(null, encode(method.desc.output, answer, method.path, this.#messageBytesMax));
    } catch (error) {
      callback(statusOf(errorForCaller(error, method.path, this.#onInternalError)));
    } finally {
      this.#finish(lifetime);
    }
  }

  /** Serves a server-streaming call, as fast as the client reads. Never rejects. */
  async serveStream(method: BoundMethod & { kind: 'stream' }, call: StreamCall): Promise<void> {
    const lifetime = this.#begin(method, call);
    try {
      for await (const answer of invokeStream(method, this.#invocation(method, call, lifetime))) {
        const more = call.write(encode(method.desc.output, answer, method.path, this.#messageBytesMax));
        if (!more) await lifetime.race(once(call, 'drain'));
      }
      call.end();
    } catch (error) {
      // grpc-js sends the status of an `error` event after what has been written before.
      if (!call.destroyed) call.emit('error', statusOf(errorForCaller(error, method.path, this.#onInternalError)));
    } finally {
      this.#finish(lifetime);
    }
  }

  #begin(method: Method, call: UnaryCall | StreamCall): CallLifetime {
    const deadline = Number(call.getDeadline());
    const lifetime = new CallLifetime({
      path: method.path,
      deadline: Number.isFinite(deadline) ? deadline : undefined,
      timer: false,
    });
    // grpc-js says so for a deadline too, and once more after a normal end, which `#finish` makes harmless.
    call.once('cancelled', () => {
      if (!this.#open.has(lifetime)) return;
      lifetime.abort(deadline <= Date.now() ? deadlinePassed(method.path) : callerLeft(method.path));
    });
    this.#open.set(lifetime, method);
    return lifetime;
  }

  #finish(lifetime: CallLifetime): void {
    this.#open.delete(lifetime);
    lifetime.end();
  }

  #invocation(method: Method, call: UnaryCall | StreamCall, lifetime: CallLifetime): Invocation {
    const proof = this.#checkToken(internalTokenOf(call.metadata));
    if (proof === 'refused') {
      throw unauthenticated(`${method.path}: the internal token is missing or wrong; give both services the same one`);
    }
    return {
      context: {
        ...identityOf(call.metadata, proof === 'proven'),
        ...(lifetime.deadline === undefined ? {} : { deadline: lifetime.deadline }),
        signal: lifetime.signal,
      },
      request: decodeRequest(method, method.desc.input, call.request),
      lifetime,
      onInternalError: this.#onInternalError,
    };
  }
}

const stopping = (method: Method): DomainError =>
  unavailable(`${method.path}: the service is stopping; call again, another instance or the next start answers`);

function decodeRequest(method: Method, schema: DescMessage, bytes: Buffer) {
  try {
    return decode(schema, bytes);
  } catch (cause) {
    throw invalidArgument(`${method.path}: the request is no valid ${schema.typeName}`, {}, { cause });
  }
}
