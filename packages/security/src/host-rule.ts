// Which Host headers a server answers, whatever address it listens on.
//
// A web page can have its own name resolve to the address of any server that its reader's browser reaches (DNS rebinding). To
// the browser that server then belongs to the page. Only the Host header still tells: it holds the name of the page.
//
// 1. An IP address cannot be rebound, and `localhost` is resolved by the browser itself.
// 2. Every other name must be one that the operator wrote down.
import { isIP } from 'node:net';

export type HostRuleOptions = {
  /** Names that are answered: `host` (with any port) or `host:port`. */
  readonly allowedHosts: readonly string[];
  /** The URL at which others reach the server: its host is answered, with any port. */
  readonly publicUrl?: string | undefined;
};

/**
 * A check of the Host header of requests: why it is refused, in one line; undefined if it is an IP address, `localhost`,
 * the host of `publicUrl` or one of `allowedHosts`.
 */
export function hostRule({
  allowedHosts,
  publicUrl,
}: HostRuleOptions): (host: string | undefined) => string | undefined {
  const allowed = new Set(allowedHosts.map((host) => withoutDot(host.toLowerCase())));
  if (publicUrl !== undefined && URL.canParse(publicUrl)) allowed.add(withoutDot(new URL(publicUrl).hostname));
  return (host) => {
    const { name, port } = parts(host?.toLowerCase() ?? '');
    if (name === undefined) return `the Host header is missing or malformed; ${advice}`;
    if (isIP(name) !== 0 || name === 'localhost') return undefined;
    if (allowed.has(name) || (port !== undefined && allowed.has(`${name}:${port}`))) return undefined;
    return `the Host header names a host that this server does not answer to; ${advice}`;
  };
}

const advice = 'if the name is yours, add it to allowed_hosts';

/** The name or address, without brackets and the dot at its end, and the port. */
function parts(host: string): { readonly name: string | undefined; readonly port: string | undefined } {
  const [, ipv6, name, port] = /^(?:\[([^[\]]+)\]|([^[\]:@/]+))(?::(\d+))?$/u.exec(host) ?? [];
  if (ipv6 !== undefined) return { name: isIP(ipv6) === 6 ? ipv6 : undefined, port };
  return { name: name === undefined ? undefined : withoutDot(name), port };
}

const withoutDot = (host: string): string => host.replace(/\.(?=$|:\d+$)/u, '');
