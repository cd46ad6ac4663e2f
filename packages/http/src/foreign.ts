// What keeps pages of other sites away from a server.
//
// 1. A request that names a foreign Origin, or that a browser marks as cross-site, is refused unless the origin is
//    allowed: a page that somebody merely visits must not approve anything.
// 2. On loopback the Host header must name loopback or an allowed host: a foreign name that resolves to this machine
//    would make a foreign page look like the server's own.
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from './loopback.ts';

export type BrowserRules = {
  /** The host that the server listens on. */
  readonly host: string;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
};

/** A check of the headers of a request. Gives why it is to be refused, in one line; undefined if it is not. */
export function foreignCheck(rules: BrowserRules): (headers: IncomingHttpHeaders) => string | undefined {
  const isAllowed = allowedOrigins(rules);
  const hosts = new Set(rules.allowedHosts.map((host) => host.toLowerCase()));
  const onLoopback = isLoopback(rules.host);
  return (headers) => {
    if (onLoopback && !isLocalHost(headers.host?.toLowerCase() ?? '', hosts))
      return 'the Host header does not name this machine; add the name to allowed_hosts if it is yours';
    const { origin } = headers;
    if (isAllowed(origin)) return undefined;
    if (origin !== undefined && !isOwnOrigin(origin, headers.host))
      return 'requests from pages of another origin are refused; add the origin to allowed_origins';
    if (String(headers['sec-fetch-site']).toLowerCase() === 'cross-site')
      return 'cross-site requests are refused; add the origin of the page to allowed_origins';
    return undefined;
  };
}

/** Whether an origin is one of those that are allowed by name. */
export function allowedOrigins(rules: Pick<BrowserRules, 'allowedOrigins'>): (origin: string | undefined) => boolean {
  const origins = new Set(rules.allowedOrigins.map(normalOrigin));
  return (origin) => origin !== undefined && origins.has(normalOrigin(origin));
}

/** True if the page came from the address that it now calls. The scheme may differ: a proxy may have ended TLS. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  return URL.canParse(`${page.protocol}//${host}`) && new URL(`${page.protocol}//${host}`).host === page.host;
}

function isLocalHost(host: string, allowed: ReadonlySet<string>): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host)?.[1];
  if (name === undefined) return false;
  return allowed.has(host) || allowed.has(name) || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}

const normalOrigin = (origin: string): string => (URL.canParse(origin) ? new URL(origin).origin : origin).toLowerCase();
