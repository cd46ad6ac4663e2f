import { once } from 'node:events';
import type { DescMessage } from '@bufbuild/protobuf';
import type { ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { DomainError, type ErrorKind, invalidArgument, unauthenticated, unavailable } from '@stopgo/core';
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

/** A call that has ended, as its server saw it. */
export type ServedCall = {
  /** `/package.Service/Method`. */
  readonly method: string;
  /** `ok`, or the kind of error that its caller got; `canceled` where the caller left. */
  readonly status: 'ok' | ErrorKind;
  /** How long it took, in milliseconds. */
  readonly ms: number;
};

/** Is told of calls. Should not throw; what it throws is passed over. */
export type OnCall = (call: ServedCall) => void;

/** The calls a gRPC server is serving, and what they need. */
export class GrpcCalls {
  readonly #checkToken: TokenCheck;
  readonly #messageBytesMax: number;
  readonly #onInternalError: OnInternalError;
  readonly #onCall: OnCall | undefined;
  readonly #open = new Map<CallLifetime, Method>();

  constructor(options: {
    readonly checkToken: TokenCheck;
    readonly messageBytesMax: number;
    readonly onInternalError: OnInternalError;
    readonly onCall: OnCall | undefined;
  }) {
    this.#checkToken = options.checkToken;
    this.#messageBytesMax = options.messageBytesMax;
    this.#onInternalError = options.onInternalError;
    this.#onCall = options.onCall;
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
    const report = this.#report(method);
    try {
      const answer = await invokeUnary(method, this.#invocation(method, call, lifetime));
      callback(null, encode(method.desc.output, answer, method.path, this.#messageBytesMax));
      report?.('ok');
    } catch (error) {
      const shown = errorForCaller(error, method.path, this.#onInternalError);
      callback(statusOf(shown));
      report?.(shown.kind);
    } finally {
      this.#finish(lifetime);
    }
  }

  /** Serves a server-streaming call, as fast as the client reads. Never rejects. */
  async serveStream(method: BoundMethod & { kind: 'stream' }, call: StreamCall): Promise<void> {
    const lifetime = this.#begin(method, call);
    const report = this.#report(method);
    try {
      for await (const answer of invokeStream(method, this.#invocation(method, call, lifetime))) {
        const more = call.write(encode(method.desc.output, answer, method.path, this.#messageBytesMax));
        if (!more) await lifetime.race(once(call, 'drain'));
      }
      call.end();
      report?.('ok');
    } catch (error) {
      // Nobody is left to tell.
      if (call.destroyed) return report?.(error instanceof DomainError ? error.kind : 'canceled');
      const shown = errorForCaller(error, method.path, this.#onInternalError);
      // grpc-js sends the status of an `error` event after what has been written before.
      call.emit('error', statusOf(shown));
      report?.(shown.kind);
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

  /** Tells the observer how a call ended, with the time since this; nothing at all where there is none. */
  #report(method: Method): ((status: ServedCall['status']) => void) | undefined {
    const onCall = this.#onCall;
    if (onCall === undefined) return undefined;
    const began = performance.now();
    return (status) => {
      try {
        onCall({ method: method.path, status, ms: performance.now() - began });
      } catch {
        // A log that fails must not change what the caller sees, and there is nobody else to tell.
      }
    };
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
