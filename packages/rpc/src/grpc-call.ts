import { once } from 'node:events';
import type { DescMessage } from '@bufbuild/protobuf';
import type { Metadata, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import {
  DomainError,
  type ErrorKind,
  invalidArgument,
  type Principal,
  permissionDenied,
  unauthenticated,
  unavailable,
} from '@stopgo/core';
import { decode, encode, tooLarge } from './codec.ts';
import { errorInTrailerField, statusOf } from './grpc-status.ts';
import { errorForCaller, type OnInternalError } from './internal-errors.ts';
import { type Invocation, invokeStream, invokeUnary } from './invoke.ts';
import { CallLifetime, callerLeft, deadlinePassed } from './lifetime.ts';
import type { BoundMethod, Method } from './methods.ts';
import { type Callers, isCaller, type TokenCheck, type TokenProof } from './peers.ts';
import { identityOf, internalTokenOf, type WireContext, wireContextIn } from './wire-context.ts';

type UnaryCall = ServerUnaryCall<Buffer, Buffer>;
type StreamCall = ServerWritableStream<Buffer, Buffer>;

type UnaryMethod = BoundMethod & { readonly kind: 'unary' };
type StreamMethod = BoundMethod & { readonly kind: 'stream' };

/** A call as it arrived. */
export type Received = {
  /** Whether its peer is one of ours, and which. */
  readonly proof: TokenProof;
  readonly context: WireContext;
  readonly request: Uint8Array;
};

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
  readonly #callers: Callers | undefined;
  readonly #unnamed: Principal;
  readonly #messageBytesMax: number;
  readonly #onInternalError: OnInternalError;
  readonly #onCall: OnCall | undefined;
  readonly #open = new Map<CallLifetime, Method>();

  constructor(options: {
    readonly checkToken: TokenCheck;
    readonly callers: Callers | undefined;
    readonly unnamed: Principal;
    readonly messageBytesMax: number;
    readonly onInternalError: OnInternalError;
    readonly onCall: OnCall | undefined;
  }) {
    this.#checkToken = options.checkToken;
    this.#callers = options.callers;
    this.#unnamed = options.unnamed;
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

  /** Begins a call that ends by itself at its `deadline`, in milliseconds of the `Date.now` clock. */
  begin(method: Method, deadline: number | undefined): CallLifetime {
    const lifetime = new CallLifetime({ path: method.path, deadline, timer: true });
    this.#open.set(lifetime, method);
    return lifetime;
  }

  /** The token that a peer presents, judged. */
  proofOf(metadata: Metadata): TokenProof {
    return this.#checkToken(internalTokenOf(metadata));
  }

  /** The answer to a unary call that has begun, or the error to answer with; the call has ended then. Never rejects. */
  async unary(method: UnaryMethod, received: Received, lifetime: CallLifetime): Promise<Buffer | DomainError> {
    const report = this.#report(method);
    try {
      const answer = await invokeUnary(method, this.#invocation(method, received, lifetime));
      const bytes = encode(method.desc.output, answer, method.path, this.#messageBytesMax);
      report?.('ok');
      return bytes;
    } catch (error) {
      const shown = errorForCaller(error, method.path, this.#onInternalError);
      report?.(shown.kind);
      return shown;
    } finally {
      this.#finish(lifetime);
    }
  }

  /** Serves a unary gRPC call. Never rejects. */
  async serveUnary(method: UnaryMethod, call: UnaryCall, callback: sendUnaryData<Buffer>): Promise<void> {
    const outcome = await this.unary(method, this.#received(call), this.#beginGrpc(method, call));
    if (outcome instanceof DomainError) callback(statusOf(outcome));
    else callback(null, outcome);
  }

  /** Serves a server-streaming call, as fast as the client reads. Never rejects. */
  async serveStream(method: StreamMethod, call: StreamCall): Promise<void> {
    const lifetime = this.#beginGrpc(method, call);
    const report = this.#report(method);
    try {
      for await (const answer of invokeStream(method, this.#invocation(method, this.#received(call), lifetime))) {
        const more = call.write(encode(method.desc.output, answer, method.path, this.#messageBytesMax));
        if (!more) await lifetime.race(once(call, 'drain'));
      }
      call.end();
      report?.('ok');
    } catch (error) {
      // Nobody is left to tell.
      if (call.destroyed) return report?.(error instanceof DomainError ? error.kind : 'canceled');
      const shown = errorForCaller(error, method.path, this.#onInternalError);
      // grpc-js sends either after what has been written before.
      const failed = statusOf(shown);
      if (call.metadata.get(errorInTrailerField).length > 0) call.end(failed.metadata);
      else call.emit('error', failed);
      report?.(shown.kind);
    } finally {
      this.#finish(lifetime);
    }
  }

  #beginGrpc(method: Method, call: UnaryCall | StreamCall): CallLifetime {
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

  #received({ metadata, request }: UnaryCall | StreamCall): Received {
    return { proof: this.proofOf(metadata), context: wireContextIn(metadata), request };
  }

  #invocation(method: Method, { proof, context, request }: Received, lifetime: CallLifetime): Invocation {
    if (proof.kind === 'refused') {
      throw unauthenticated(
        `${method.path}: the internal token is missing or wrong; give the caller its own, and this service its digest`,
      );
    }
    if (!isCaller(this.#callers, proof, method.desc.name)) {
      const peer = (proof.kind === 'proven' && proof.service) || 'peer';
      throw permissionDenied(`${method.path} is not for the ${peer} to call`, { peer });
    }
    const bytes = request.byteLength;
    if (bytes > this.#messageBytesMax) throw tooLarge(method.path, bytes, this.#messageBytesMax);
    return {
      context: {
        ...identityOf(context, proof, this.#unnamed),
        ...(lifetime.deadline === undefined ? {} : { deadline: lifetime.deadline }),
        get signal() {
          return lifetime.signal;
        },
      },
      request: decodeRequest(method, method.desc.input, request),
      lifetime,
      onInternalError: this.#onInternalError,
    };
  }
}

const stopping = (method: Method): DomainError =>
  unavailable(`${method.path}: the service is stopping; call again, another instance or the next start answers`);

function decodeRequest(method: Method, schema: DescMessage, bytes: Uint8Array) {
  try {
    return decode(schema, bytes);
  } catch (cause) {
    throw invalidArgument(`${method.path}: the request is no valid ${schema.typeName}`, {}, { cause });
  }
}
