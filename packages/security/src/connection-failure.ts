/** Error codes of a connection that was never made, so that nothing was sent: as the system has them, and undici. */
const neverMade: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** What ended a connection. `wasNeverMade`: nothing of a request can have arrived. */
export type ConnectionFailure = { readonly code: string; readonly wasNeverMade: boolean };

/**
 * What an error of a request, or one of its causes, says of the connection; undefined if it has no code. A host that becomes
 * unreachable ends an established connection with the code of one that was never made, and the request may have arrived by then:
 * the system's call tells them apart.
 */
export function connectionFailure(error: unknown): ConnectionFailure | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (!('code' in at) || typeof at.code !== 'string') continue;
    const call = 'syscall' in at ? at.syscall : undefined;
    return { code: at.code, wasNeverMade: call !== 'read' && call !== 'write' && neverMade.has(at.code) };
  }
  return undefined;
}
