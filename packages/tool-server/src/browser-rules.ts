// What keeps web pages away from a tool server.
//
// 1. It serves no pages, so every request of a page comes from a foreign one: it is refused unless its origin is allowed.
// 2. On every address the Host header must be an IP address, localhost or an allowed host: a foreign name that resolves to
//    this server would make a foreign page look like the server's own.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostRule } from '@stopgo/security';
import type { BrowserSettings } from './transport-settings.ts';

/** A check that answers what it refuses with 403 and then gives false. */
export type RequestCheck = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The check of {@link BrowserSettings}. Its 403 says in one line which setting would allow the request. */
export function browserRules(settings: BrowserSettings): RequestCheck {
  const origins = new Set(settings.allowedOrigins.map((origin) => origin.toLowerCase()));
  const whyNotHost = hostRule(settings);
  return ({ headers }, response) => {
    const refused = whyNotHost(headers.host) ?? whyNotPage(headers, origins);
    if (refused === undefined) return true;
    response.writeHead(403, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${refused}\n`);
    return false;
  };
}

function whyNotPage(headers: IncomingMessage['headers'], origins: ReadonlySet<string>): string | undefined {
  if (origins.has(headers.origin?.toLowerCase() ?? '')) return undefined;
  if (headers.origin !== undefined)
    return 'requests of web pages are refused; add the origin of the page to allowed_origins';
  // A form or an image of a page may come without an Origin, but not without this mark. `none` is typed by the user.
  const site = String(headers['sec-fetch-site'] ?? 'none').toLowerCase();
  return site === 'none'
    ? undefined
    : 'requests of web pages are refused; have the page send its origin, and add that to allowed_origins';
}
