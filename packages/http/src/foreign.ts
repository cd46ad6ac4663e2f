// What keeps pages of other sites away from a server.
//
// 1. A request that names a foreign Origin, or that a browser marks as cross-site, is refused unless the origin is
//    allowed: a page that somebody merely visits must not approve anything.
// 2. On every address the Host header must be an IP address, localhost, or a name of the configuration: a foreign name
//    that resolves to this server would make a foreign page look like the server's own.
import type { IncomingHttpHeaders } from 'node:http';
import { type HostRuleOptions, hostRule } from '@stopgo/security';

export type BrowserRules = HostRuleOptions & { readonly allowedOrigins: readonly string[] };

/** A check of the headers of a request. Gives why it is to be refused, in one line; undefined if it is not. */
export function foreignCheck(rules: BrowserRules): (headers: IncomingHttpHeaders) => string | undefined {
  const isAllowed = allowedOrigins(rules);
  const whyNotHost = hostRule(rules);
  return (headers) => {
    const refused = whyNotHost(headers.host);
    if (refused !== undefined) return refused;
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

const normalOrigin = (origin: string): string => (URL.canParse(origin) ? new URL(origin).origin : origin).toLowerCase();
