import type { DescService, Message } from '@bufbuild/protobuf';
import { anonymous, type Principal } from '@stopgo/core';
import { clientStream } from './client-stream.ts';
import { type CallContext, checkContext, type OutgoingContext } from './context.ts';
import { type OnInternalError, warnOfInternalError } from './internal-errors.ts';
import { type Invocation, invokeStream, invokeUnary } from './invoke.ts';
import { type CallLifetime, callLifetime } from './lifetime.ts';
import { type BoundMethod, boundMethodsOf, type MessageInit, requestOf } from './methods.ts';
import type { PeerName } from './peers.ts';
import type { Secret } from './secret.ts';
import type { CallOptions, Client, ClientDefaults, ServiceImpl } from './service-types.ts';

/** How calls within one process are made. */
export type InProcessOptions = ClientDefaults & {
  /** Where exceptions go that callers may not see; without it a process warning names their id. */
  readonly onInternalError?: OnInternalError;
  /** Which service calls; see {@link CallContext.peerService}. */
  readonly caller?: PeerName;
  /** Who acts in a call that names nobody in particular. Default: anonymous, who may do everything. */
  readonly unnamed?: Principal;
};

/**
 * A client that calls `impl` directly: the same types, deadlines, cancellation, context and errors as over gRPC, but
 * nothing is encoded. Messages are handed over as they are (plain objects become messages first) and must not be
 * changed by either side; the bound on message size does not apply.
 */
export function createInProcessClient<S extends DescService>(
  service: S,
  impl: ServiceImpl<S>,
  options: InProcessOptions = {},
): Client<S> {
  const methods = boundMethodsOf(service, impl).map((method) => [
    method.desc.localName,
    method.kind === 'unary' ? unaryCall(method, options) : streamCall(method, options),
  ]);
  return Object.fromEntries(methods) as Client<S>;
}

function unaryCall(method: BoundMethod & { kind: 'unary' }, defaults: InProcessOptions) {
  return async (request: MessageInit, options: CallOptions = {}): Promise<Message> => {
    const lifetime = callLifetime(method.path, 'unary', options, defaults, { timer: true });
    try {
      return await invokeUnary(method, invocation(method, request, options, defaults, lifetime));
    } finally {
      lifetime.end();
    }
  };
}

function streamCall(method: BoundMethod & { kind: 'stream' }, defaults: InProcessOptions) {
  return (request: MessageInit, options: CallOptions = {}) =>
    clientStream(method.path, async function* (left: AbortSignal): AsyncGenerator<Message, void> {
      const lifetime = callLifetime(method.path, 'stream', options, defaults, { timer: true, signal: left });
      try {
        yield* invokeStream(method, invocation(method, request, options, defaults, lifetime));
      } finally {
        lifetime.end();
      }
    });
}

function invocation(
  method: BoundMethod,
  request: MessageInit,
  options: CallOptions,
  { onInternalError = warnOfInternalError, caller, unnamed = anonymous }: InProcessOptions,
  lifetime: CallLifetime,
): Invocation {
  return {
    request: requestOf(method, request),
    context: new ReceivedContext(options.context ?? {}, lifetime, { caller, unnamed }),
    lifetime,
    onInternalError,
  };
}

/** What the implementation is told of the caller. Its signal is asked for only by those that need one. */
class ReceivedContext implements CallContext {
  readonly bearerToken?: Secret;
  readonly sessionId?: string;
  readonly principal: Principal;
  readonly traceparent?: string;
  readonly deadline?: number;
  readonly peerInternal = true;
  readonly peerService?: PeerName;
  readonly #lifetime: CallLifetime;

  constructor(
    sent: OutgoingContext,
    lifetime: CallLifetime,
    { caller, unnamed }: { readonly caller: PeerName | undefined; readonly unnamed: Principal },
  ) {
    checkContext(sent);
    if (sent.bearerToken !== undefined) this.bearerToken = sent.bearerToken;
    if (sent.sessionId !== undefined) this.sessionId = sent.sessionId;
    const named = sent.principal ?? anonymous;
    this.principal = named.kind === 'anonymous' ? unnamed : named;
    if (sent.traceparent !== undefined) this.traceparent = sent.traceparent;
    if (lifetime.deadline !== undefined) this.deadline = lifetime.deadline;
    if (caller !== undefined) this.peerService = caller;
    this.#lifetime = lifetime;
  }

  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }
}
