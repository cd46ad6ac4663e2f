import { DomainError, type ErrorKind, visibleText } from '@stopgo/core';
import { isNotSignedIn } from './auth/refusal.ts';
import { retryAfterMsDefault } from './bounds.ts';
import type { Answer } from './json-text.ts';

/** An error as HTTP says it. */
export type Problem = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly [key: string]: Answer };
};

/** Where an error goes that no client may see: the error, and the id that the client is told. */
export type ReportInternal = (error: unknown, id: string) => void;

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid_argument: 400,
  // One service says so of another, that has no or another internal token: whoever asks us did nothing wrong, and it is
  // not for him to log in. An operator mends it, and it is well then.
  unauthenticated: 503,
  permission_denied: 403,
  not_found: 404,
  conflict: 409,
  failed_precondition: 409,
  resource_exhausted: 429,
  internal: 500,
  data_loss: 500,
  unimplemented: 501,
  unavailable: 503,
  canceled: 503,
  deadline_exceeded: 504,
};

/** What somebody can do whose request may or may not have been carried out. */
export const outcomeUnknown =
  'whether this took effect is unknown: read the conversation, or repeat the request with the same Idempotency-Key';

/** What a failed precondition is, by the reason in its details; any other is a 409. */
const preconditionStatus: Readonly<Record<string, number>> = { idempotency_mismatch: 422, choice: 400, revision: 412 };

/** True if a service was not reached, or was lost in the middle of a call: only what it says itself is certain. */
export const isNotReached = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.kind === 'unavailable' && error.cause !== undefined;

/** True if a service did not take the gateway's internal token. */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof DomainError && error.kind === 'unauthenticated' && !isNotSignedIn(error);

/**
 * The answer for whatever was thrown. Only a DomainError that is not a defect of ours keeps its text. `changes`: the request
 * may have changed something.
 */
export function problemOf(error: unknown, newId: () => string, report: ReportInternal, changes = false): Problem {
  if (error instanceof DomainError) return problemOfDomain(error, newId, report, changes);
  const refused = refusedByParser(error);
  return refused ?? internalProblem(error, newId(), report);
}

function problemOfDomain(error: DomainError, newId: () => string, report: ReportInternal, changes: boolean): Problem {
  if (isNotSignedIn(error)) return { status: 401, headers: challenge, body: { error: visibleText(error.message) } };
  const status =
    (error.kind === 'failed_precondition' ? preconditionStatus[error.details.reason ?? ''] : undefined) ??
    statusOfKind[error.kind];
  if (status === 500) return internalProblem(error, error.details.error_id ?? newId(), report);
  return {
    status,
    headers: headersFor(status, error),
    body: { error: visibleText(textFor(status, error, changes)), ...detailsOf(error) },
  };
}

/** How to sign in (RFC 6750, section 3). */
const challenge = { 'WWW-Authenticate': 'Bearer realm="stop-and-go"' };

function internalProblem(error: unknown, id: string, report: ReportInternal): Problem {
  report(error, id);
  return { status: 500, headers: {}, body: { error: `internal error ${id}; the log has the cause`, error_id: id } };
}

/** Services say of a 503 what they know; of a call that ran out of time, or was lost, nobody knows more than this. */
const textFor = (status: number, error: DomainError, changes: boolean): string =>
  status === 504 || (changes && isNotReached(error)) ? `${error.message}; ${outcomeUnknown}` : error.message;

function headersFor(status: number, { retryAfterMs = retryAfterMsDefault }: DomainError): Record<string, string> {
  if (status === 429 || status === 503 || status === 504) {
    return { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  }
  return {};
}

/** The details as they came, none in the place of the text; a list of choices as a list, and who decided with what that is worth. */
function detailsOf({ details }: DomainError): Record<string, Answer> {
  const { choices, error: _text, decided_by_claimed: claimed, ...others } = details;
  const by =
    claimed === undefined ? {} : { decided_by_identity: { name: others.decided_by, claimed: claimed === 'true' } };
  const rest = { ...others, ...by };
  return choices === undefined
    ? rest
    : {
        ...rest,
        choices: choices
          .split(',')
          .map((choice) => choice.trim())
          .filter((choice) => choice !== ''),
      };
}

type ParserError = { readonly status: number; readonly type: string | undefined; readonly limit: unknown };

/** What express and its body parser throw about a request: an error with the status to answer. */
function refusedByParser(error: unknown): Problem | undefined {
  const parsed = parserError(error);
  if (parsed === undefined) return undefined;
  return { status: parsed.status, headers: {}, body: { error: textOf(parsed) } };
}

function parserError(error: unknown): ParserError | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error.status < 400 || error.status > 499) return undefined;
  const type = 'type' in error && typeof error.type === 'string' ? error.type : undefined;
  return { status: error.status, type, limit: 'limit' in error ? error.limit : undefined };
}

function textOf({ status, type, limit }: ParserError): string {
  switch (type) {
    case 'entity.too.large':
      return `request body is larger than ${limit} bytes; send less`;
    case 'encoding.unsupported':
      return 'invalid request body: compressed bodies are not supported; send it plain';
    case 'request.aborted':
      return 'invalid request body: it ended early';
    case 'request.size.invalid':
      return 'invalid request body: its size is not the Content-Length';
    default:
      return status === 400 ? 'the path or body of the request is malformed' : `request refused (${status})`;
  }
}
