import { isLoopback } from './loopback.ts';

/**
 * Whether a token may be sent to a URL: over https, to this machine, or over http to a host that the operator allowed by name
 * (`host`, whatever the port, or `host:port`; compared exactly, in lower case). False for any other scheme and for what is no URL.
 */
export function mayCarryToken(url: string, allowedHttpHosts: readonly string[] = []): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return true;
  return protocol === 'http:' && (isLoopback(hostname) || isAllowed(url, allowedHttpHosts));
}

/** True if a token goes to the URL only because `allowedHttpHosts` names its host: whoever is on the way can read it. */
export function carriesTokenInClear(url: string, allowedHttpHosts: readonly string[]): boolean {
  return mayCarryToken(url, allowedHttpHosts) && !mayCarryToken(url);
}

function isAllowed(url: string, allowed: readonly string[]): boolean {
  const { hostname, port } = new URL(url);
  const withPort = `${hostname}:${port === '' ? '80' : port}`;
  return allowed.some((host) => host === hostname || host === withPort);
}
