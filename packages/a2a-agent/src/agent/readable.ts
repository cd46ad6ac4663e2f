import { DomainError } from '@stopgo/core';
import { ServiceError } from '../http/index.ts';
import { A2AError, RequestMalformedError } from '../protocol.ts';

/** Told what went wrong, and about what it was. */
export type OnError = (error: unknown, about: string) => void;

/** An error as a peer may read it. Of what is a defect of ours he is told an id only. */
export function asReadable(error: unknown, newId: () => string, onError: OnError): Error {
  if (error instanceof A2AError || error instanceof ServiceError) return error;
  if (error instanceof DomainError && error.kind === 'invalid_argument')
    return new RequestMalformedError(error.message);
  if (error instanceof DomainError && error.kind === 'permission_denied') {
    return new ServiceError(error.message, { status: 403, headers: {} });
  }
  if (error instanceof DomainError && error.kind === 'resource_exhausted') {
    return new ServiceError(error.message, { status: 429, headers: { 'Retry-After': '1' } });
  }
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) return new ServiceError('the request was refused', { status, headers: {} });
  const id = newId();
  onError(error, `internal error ${id}`);
  return new ServiceError(`internal error ${id}`, { status: 500, headers: {} });
}
