import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { DomainError, type ErrorKind } from '@stopgo/core';
import { statusTextCharsMax } from './bounds.ts';
import { deadlinePassed } from './lifetime.ts';
import { domainErrorOf, type WireError, wireErrorOf } from './wire-error.ts';

/** The one mapping of error kinds to gRPC status codes. */
const codes: Readonly<Record<ErrorKind, status>> = {
  invalid_argument: status.INVALID_ARGUMENT,
  not_found: status.NOT_FOUND,
  conflict: status.ABORTED,
  failed_precondition: status.FAILED_PRECONDITION,
  unauthenticated: status.UNAUTHENTICATED,
  permission_denied: status.PERMISSION_DENIED,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  canceled: status.CANCELLED,
  unimplemented: status.UNIMPLEMENTED,
  data_loss: status.DATA_LOSS,
  internal: status.INTERNAL,
};

/** What a bare status means, also one that no service of ours sends. */
const kinds: ReadonlyMap<status, ErrorKind> = new Map([
  ...(Object.entries(codes) as [ErrorKind, status][]).map(([kind, code]) => [code, kind] as const),
  [status.ALREADY_EXISTS, 'conflict'],
  [status.OUT_OF_RANGE, 'invalid_argument'],
  // Our own cancellation never gets here, so this is a server that was cut off in the middle of the call.
  [status.CANCELLED, 'unavailable'],
]);

/** The trailer that holds a {@link WireError} as JSON. */
const errorTrailer = 'stopgo-error-bin';

/** How grpc-js says how a call ended. */
export type CallStatus = Pick<ServiceError, 'code' | 'details' | 'metadata'>;

/**
 * Metadata of a streaming call whose caller finds the error of a failed stream in the trailer of one that ended well. With
 * any other status grpc-js throws away what a slow reader has not read yet.
 */
export const errorInTrailerField = 'stopgo-error-in-trailer';

/** The error that a stream which ended well tells all the same, if any. */
export function errorInTrailer(metadata: Metadata): DomainError | undefined {
  const wire = trailerOf(metadata);
  return wire === undefined ? undefined : domainErrorOf(wire);
}

/** True for an error of grpc-js that says how a call ended. */
export const isStatus = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && 'details' in error && typeof error.code === 'number';

/** What is told of an error: JSON of a {@link WireError}. */
export const bytesOf = (error: DomainError): Buffer => Buffer.from(JSON.stringify(wireErrorOf(error)));

/** The reverse of {@link bytesOf}; nothing if the bytes are no such description. */
export function domainErrorOfBytes(bytes: Uint8Array): DomainError | undefined {
  const wire = wireErrorIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  return wire === undefined ? undefined : domainErrorOf(wire);
}

/** A DomainError as grpc-js wants a failed call's status. */
export function statusOf(error: DomainError): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  metadata.set(errorTrailer, bytesOf(error));
  // Our clients read the trailer; this is for others, and must survive being a header.
  const details = error.message.slice(0, statusTextCharsMax).replace(/[^\x20-\x7e]/g, '?');
  return { code: codes[error.kind], details, metadata };
}

/** The DomainError for a call that failed: what the service said, else what gRPC itself found. */
export function domainErrorOfStatus(error: CallStatus, path: string, address: string): DomainError {
  const wire = trailerOf(error.metadata);
  if (wire !== undefined) return domainErrorOf(wire);
  if (error.code === status.DEADLINE_EXCEEDED) return deadlinePassed(path);
  const kind = isCutOff(error) ? 'unavailable' : (kinds.get(error.code) ?? 'internal');
  const cause = new Error(`${path} at ${address}: ${error.details}`);
  return kind === 'unavailable' ? notAnswering(path, cause) : new DomainError(kind, cause.message, { cause });
}

/** True for a call that ended with its connection or its stream: grpc-js calls that an internal error. */
const isCutOff = ({ code, details }: CallStatus): boolean =>
  code === status.INTERNAL && /\bRST_STREAM\b|\bSession closed\b|\bGOAWAY\b/.test(details);

/** `/stopgo.store.v1.StoreService/Load`: the second part of the package names the service. */
const packageOfPath = /^\/\w+\.(\w+)/;

/** What may be shown to anybody of a service that was not reached; where it is and how that went is the cause, for logs. */
export function notAnswering(path: string, cause: unknown): DomainError {
  const [, service = path] = packageOfPath.exec(path) ?? [];
  return new DomainError('unavailable', `the ${service} service does not answer now; try again`, { cause });
}

function trailerOf(metadata: Metadata | undefined): WireError | undefined {
  const value = metadata?.get(errorTrailer)[0];
  return value === undefined ? undefined : wireErrorIn(value.toString());
}

function wireErrorIn(json: string): WireError | undefined {
  try {
    const wire: unknown = JSON.parse(json);
    return isWireError(wire) ? wire : undefined;
  } catch {
    return undefined;
  }
}

function isWireError(value: unknown): value is WireError {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, message, details, retryAfterMs } = value as Partial<Record<keyof WireError, unknown>>;
  return (
    typeof kind === 'string' &&
    Object.hasOwn(codes, kind) &&
    typeof message === 'string' &&
    typeof details === 'object' &&
    details !== null &&
    Object.values(details).every((detail) => typeof detail === 'string') &&
    (retryAfterMs === undefined || typeof retryAfterMs === 'number')
  );
}
