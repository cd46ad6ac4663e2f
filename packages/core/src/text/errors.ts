/**
 * What kind of failure a caller sees. One list for every service: the transports map a kind to a gRPC status and back,
 * and the gateway maps it to HTTP and JSON-RPC.
 *
 * Worth trying again after a pause: `resource_exhausted` and, for a call that is safe to repeat, `unavailable` and
 * `deadline_exceeded`. `conflict` asks to read again first. All others fail the same way when repeated.
 */
export type ErrorKind =
  | 'invalid_argument'
  | 'not_found'
  | 'conflict'
  | 'failed_precondition'
  | 'unauthenticated'
  | 'permission_denied'
  | 'resource_exhausted'
  | 'unavailable'
  | 'deadline_exceeded'
  | 'canceled'
  | 'unimplemented'
  | 'data_loss'
  | 'internal';

/** What a {@link DomainError} may carry besides its text. */
export type DomainErrorOptions = {
  /** Facts for the caller's program (ids, limits), never secrets: they travel to the caller. */
  readonly details?: Readonly<Record<string, string>>;
  /** How long the caller should wait before the next try, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What led to it. Stays in this process: no transport passes it on. */
  readonly cause?: unknown;
};

/**
 * A failure that a caller is meant to understand. Its text says what happened, to what, and what to do, and may be
 * shown to the caller as it is: it must hold no secret. Kind, text, details and `retryAfterMs` reach the caller
 * unchanged whichever transport lies between (details within the transport's bound); `cause` does not.
 *
 * Any other exception that leaves a service is reported to its caller as `internal`, without its text.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, string>>;
  declare readonly retryAfterMs?: number;

  constructor(kind: ErrorKind, message: string, options: DomainErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.details = options.details ?? {};
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

type MakeError = (
  message: string,
  details?: Readonly<Record<string, string>>,
  options?: Omit<DomainErrorOptions, 'details'>,
) => DomainError;

const ofKind =
  (kind: ErrorKind): MakeError =>
  (message, details = {}, options = {}) =>
    new DomainError(kind, message, { ...options, details });

/** The request itself is wrong, whatever the state. */
export const invalidArgument = ofKind('invalid_argument');
/** What the request names does not exist. */
export const notFound = ofKind('not_found');
/** Somebody else's change came first, or the thing exists already. */
export const conflict = ofKind('conflict');
/** The request is sound, but the state does not allow it now. */
export const failedPrecondition = ofKind('failed_precondition');
/** Who calls is unknown or unproven. */
export const unauthenticated = ofKind('unauthenticated');
/** Who calls is known and may not. */
export const permissionDenied = ofKind('permission_denied');
/** A named bound is reached. */
export const resourceExhausted = ofKind('resource_exhausted');
/** A part that is needed cannot be reached now. If it was lost in the middle of a call, what took effect is unknown. */
export const unavailable = ofKind('unavailable');
/** No answer within the time allowed; whether it took effect is unknown. */
export const deadlineExceeded = ofKind('deadline_exceeded');
/** The caller gave up. */
export const canceled = ofKind('canceled');
/** The operation does not exist here. */
export const unimplemented = ofKind('unimplemented');
/** Stored or transmitted data is damaged. */
export const dataLoss = ofKind('data_loss');
/** A defect of ours. */
export const internalError = ofKind('internal');
