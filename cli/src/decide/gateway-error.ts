import { visibleLine } from '@stopgo/core';
import { inPassing } from '../shown.ts';

/**
 * What became of a request that failed. `not sent`: nobody was there to take it. `refused`: the answer says that nothing was taken. `unknown`:
 * it may have been taken; the answer was lost, is none of a platform, or says to ask again.
 */
export type Outcome = 'not sent' | 'refused' | 'unknown';

/** What went wrong with a request, what became of it, and whether the same request may do better a little later. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly outcome: Outcome;
  readonly mayPass: boolean;

  constructor(message: string, outcome: Outcome, mayPass = outcome !== 'refused') {
    super(message);
    this.outcome = outcome;
    this.mayPass = mayPass;
  }
}

/** Why Node does not accept a certificate. It says so before anything is sent, and time alone mends none of it soon. */
const certificateProblems: ReadonlySet<unknown> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

type NetworkError = { readonly code?: unknown; readonly syscall?: unknown; readonly errors?: readonly unknown[] };

/** What became of a request that `fetch` gave no answer to. */
export function unanswered(url: string, error: unknown): GatewayError {
  const cause = error instanceof Error ? error.cause : undefined;
  const { code } = (cause ?? {}) as NetworkError;
  // The reason may hold names that stand in the certificate.
  const reason = visibleLine(reasonOf(error));
  if (!certificateProblems.has(code)) {
    const problem = `no answer from ${url}: ${reason}; is the platform running there? (--url or --port)`;
    return new GatewayError(problem, isUnconnected(cause) ? 'not sent' : 'unknown');
  }
  const remedy = 'renew it there, or name a file with the CA that signed it in NODE_EXTRA_CA_CERTS';
  return new GatewayError(
    `the certificate of ${url} is not accepted: ${reason} (${code}); ${remedy}`,
    'not sent',
    false,
  );
}

/** What an answer that is none says, with the gateway's own words if its body has some. */
export function refusalOf({ status, statusText }: Response, body?: unknown): GatewayError {
  const { error, recorded } = (body ?? {}) as { readonly error?: unknown; readonly recorded?: unknown };
  const said = visibleLine(typeof error === 'string' ? error : `${status} ${statusText}`);
  // The words of the gateway are about headers, which nobody types here.
  const message =
    status === 401 ? `${said}; commands send the API key in STOPGO_API_KEY: set it to one of yours` : said;
  const mayPass = status === 429 || status >= 500;
  return new GatewayError(message, mayPass && recorded !== 'nothing' ? 'unknown' : 'refused', mayPass);
}

/** Something else answered, as if all was well: a proxy, or another program. `what` it answered with, and how its text begins. */
export function notPlatform(url: string, what: string, text: string): GatewayError {
  const begins = text.trim() === '' ? '' : `: ${inPassing(text)}`;
  return new GatewayError(
    `${url} answered with ${visibleLine(what)}${begins}; is that the platform? (--url or --port)`,
    'unknown',
    false,
  );
}

/** What an answer says that it holds. */
export function mediaTypeOf({ headers }: Response): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() || 'a text of no type';
}

/** Why a request got no answer, in words. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  // Of a name with several addresses each was tried.
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.map(wordsOf).join(', ');
  return cause instanceof Error && cause.message !== '' ? cause.message : wordsOf(error);
}

/** Nothing was connected to. The same codes come from connections that broke off later; what was being done tells them apart. */
function isUnconnected(cause: unknown): boolean {
  const { code, syscall, errors } = (cause ?? {}) as NetworkError;
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isUnconnected);
  return code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo';
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
