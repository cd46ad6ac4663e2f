// What keeps pages of other sites away from the gateway.
//
// 1. A request that names a foreign Origin, or that a browser marks as cross-site, is refused unless the origin is
//    allowed: a page that somebody merely visits must not approve anything.
// 2. On loopback the Host header must name loopback or an allowed host: a foreign name that resolves to this machine
//    would make a foreign page look like the gateway's own.
import { permissionDenied } from '@stopgo/core';
import type { Request, RequestHandler } from 'express';
import { isLoopback } from './loopback.ts';

export type BrowserRules = {
  /** The host that the gateway listens on. */
  readonly host: string;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
};

const CORS_METHODS = 'GET, POST, DELETE';
const CORS_REQUEST_HEADERS =
  'A2A-Extensions, A2A-Version, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer, X-Approver, X-Session-ID';
const CORS_ANSWER_HEADERS = 'Location, Preference-Applied, Retry-After, X-Session-ID';
const CORS_MAX_AGE_SECONDS = 600;

/** Refuses what a foreign page sent; answers the preflight questions of allowed ones. */
export function browserRules(rules: BrowserRules): RequestHandler {
  const origins = new Set(rules.allowedOrigins.map(normalOrigin));
  const hosts = new Set(rules.allowedHosts.map((host) => host.toLowerCase()));
  const onLoopback = isLoopback(rules.host);

  return (req, res, next) => {
    if (onLoopback) requireLocalHost(req, hosts);
    const origin = req.get('origin');
    const allowed = origin !== undefined && origins.has(normalOrigin(origin));
    if (origins.size > 0) res.vary('Origin');
    if (!allowed) {
      refuseForeign(req, origin);
      next();
      return;
    }
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', CORS_ANSWER_HEADERS);
    if (req.method !== 'OPTIONS' || req.get('access-control-request-method') === undefined) {
      next();
      return;
    }
    res.setHeader('Access-Control-Allow-Methods', CORS_METHODS);
    res.setHeader('Access-Control-Allow-Headers', CORS_REQUEST_HEADERS);
    res.setHeader('Access-Control-Max-Age', CORS_MAX_AGE_SECONDS);
    res.status(204).end();
  };
}

function refuseForeign(req: Request, origin: string | undefined): void {
  if (origin !== undefined && !isOwnOrigin(origin, req.get('host'))) {
    throw permissionDenied('requests from pages of another origin are refused; add the origin to allowed_origins');
  }
  if (req.get('sec-fetch-site')?.toLowerCase() === 'cross-site') {
    throw permissionDenied('cross-site requests are refused; add the origin of the page to allowed_origins');
  }
}

/** True if the page came from the address that it now calls. The scheme may differ: a proxy may have ended TLS. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  return URL.canParse(`${page.protocol}//${host}`) && new URL(`${page.protocol}//${host}`).host === page.host;
}

function requireLocalHost(req: Request, allowed: ReadonlySet<string>): void {
  const host = req.get('host')?.toLowerCase() ?? '';
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host)?.[1];
  if (name !== undefined) {
    if (allowed.has(host) || allowed.has(name)) return;
    if (isLoopback(name.replace(/^\[(.*)\]$/, '$1'))) return;
  }
  throw permissionDenied('the Host header does not name this machine; add the name to allowed_hosts if it is yours');
}

const normalOrigin = (origin: string): string => (URL.canParse(origin) ? new URL(origin).origin : origin).toLowerCase();
