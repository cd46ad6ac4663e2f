import { status } from '@grpc/grpc-js';
import { ServiceError } from './http/service-error.ts';
import { A2AError } from './protocol.ts';

/** What a status of HTTP is in gRPC, where a service, and not the protocol, refuses a call. */
const codes: Readonly<Record<number, number>> = {
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  409: status.ABORTED,
  429: status.RESOURCE_EXHAUSTED,
  500: status.INTERNAL,
  501: status.UNIMPLEMENTED,
  503: status.UNAVAILABLE,
  504: status.DEADLINE_EXCEEDED,
};

/** An error with a status of its own: the SDK says it as it is, by these two members. */
class GrpcError extends A2AError {
  readonly transport = 'grpc';
  readonly status: number;

  constructor(text: string, code: number) {
    super(text);
    this.status = code;
  }
}

/** An error as a peer over gRPC is told it: one of a service with a code that says what to do, any other as it is. */
export const asGrpcError = (error: Error): Error =>
  error instanceof ServiceError ? new GrpcError(error.message, codes[error.status] ?? status.UNKNOWN) : error;
