// What Node says of a connection that failed. A browser does not say why: there, anything may have been sent.

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

const networkError = (error: unknown): NetworkError =>
  ((error instanceof Error ? error.cause : undefined) ?? {}) as NetworkError;

/** The code of a certificate that is not accepted, of what `fetch` threw; undefined if it is something else. */
export function certificateProblem(error: unknown): string | undefined {
  const { code } = networkError(error);
  return certificateProblems.has(code) ? String(code) : undefined;
}

/** Whether what was asked may have been sent, of what `fetch` threw: nothing was where nobody was connected to. */
export const maybeSent = (error: unknown): boolean =>
  certificateProblem(error) === undefined && !isUnconnected(networkError(error));

/** The same codes come from connections that broke off later; what was being done tells them apart. */
function isUnconnected(cause: unknown): boolean {
  const { code, syscall, errors } = (cause ?? {}) as NetworkError;
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isUnconnected);
  return code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo';
}
