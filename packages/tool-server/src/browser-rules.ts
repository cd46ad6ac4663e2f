// What keeps web pages away from a tool server.
//
// 1. A request that names a foreign Origin, or that a browser marks as cross-site, is refused unless the origin is allowed.
// 2. On loopback the Host header must name loopback or an allowed host, elsewhere an allowed host if any is listed: a foreign
//    name that resolves to this machine would make a foreign page look like the server's own.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, localhostOriginValidation } from '@modelcontextprotocol/node';
import type { BrowserSettings } from './transport-settings.ts';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Whether only programs on this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

/** A check that answers what it refuses with 403 and then gives false. */
export type RequestCheck = (request: IncomingMessage, response: ServerResponse) => boolean;

export function browserRules(settings: BrowserSettings & { readonly host: string }): RequestCheck {
  const origins = new Set(settings.allowedOrigins.map((origin) => origin.toLowerCase()));
  const localOrigin = localhostOriginValidation();
  const hosts = hostCheck(settings);
  return (request, response) => {
    if (!hosts(request, response)) return false;
    if (origins.has(request.headers.origin?.toLowerCase() ?? '')) return true;
    return localOrigin(request, response) && sameSite(request, response);
  };
}

function hostCheck({ host, allowedHosts }: BrowserSettings & { readonly host: string }): RequestCheck {
  if (isLoopback(host)) return hostHeaderValidation([...LOOPBACK_NAMES, host, ...allowedHosts]);
  return allowedHosts.length === 0 ? () => true : hostHeaderValidation([...LOOPBACK_NAMES, ...allowedHosts]);
}

/** A form of a foreign page may come without an Origin, but not without this mark. */
function sameSite(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers['sec-fetch-site'] !== 'cross-site' || request.headers.origin !== undefined) return true;
  response.writeHead(403, { 'Content-Type': 'text/plain; charset=utf-8' }).end('cross-site requests are refused\n');
  return false;
}
