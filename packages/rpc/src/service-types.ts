import type {
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { CallContext, OutgoingContext } from './context.ts';

/**
 * What a service implements: one function per method of the contract `S`.
 *
 * A unary method answers with a promise, a server-streaming method with an async iterable (an async generator, as a
 * rule; its `finally` runs when the caller leaves). A request is to be read, never changed: in process it is the
 * caller's own object. Methods whose requests stream do not type-check: no transport carries them.
 */
export type ServiceImpl<S extends DescService> = {
  [K in keyof S['method']]: S['method'][K] extends DescMethodUnary<infer I, infer O>
    ? (request: MessageShape<I>, context: CallContext) => Promise<MessageInitShape<O>>
    : S['method'][K] extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageShape<I>, context: CallContext) => AsyncIterable<MessageInitShape<O>>
      : never;
};

/**
 * What a caller of the contract `S` holds, whichever transport lies between. Every failure is a `DomainError`.
 *
 * A stream starts when it is first read, can be read once, and is canceled when its reader stops early.
 */
export type Client<S extends DescService> = {
  readonly [K in keyof S['method']]: S['method'][K] extends DescMethodUnary<infer I, infer O>
    ? (request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
    : S['method'][K] extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageInitShape<I>, options?: CallOptions) => AsyncIterableIterator<MessageShape<O>>
      : never;
};

/** How one call is made. */
export type CallOptions = {
  /** Cancels the call (as `context.signal` does; either is enough). */
  readonly signal?: AbortSignal;
  /**
   * Longest duration, in milliseconds; a unary call without one gets `unaryTimeoutMsDefault`, a stream none.
   * The context's deadline holds as well: the earlier of the two ends the call with `deadline_exceeded`.
   */
  readonly timeoutMs?: number;
  /** Identity, trace, deadline and cancellation to send along: {@link forward} of the call being served. */
  readonly context?: OutgoingContext;
};

/** What holds for every call of a client that does not say otherwise. */
export type ClientDefaults = {
  /** See {@link CallOptions.timeoutMs}; applies to streams too. */
  readonly timeoutMs?: number;
};
