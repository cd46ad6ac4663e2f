import { permissionDenied } from '@stopgo/core';
import type { Request, RequestHandler } from 'express';
import { allowedOrigins, type BrowserRules, foreignCheck } from './foreign.ts';

const corsMethods = 'GET, POST, PUT, PATCH, DELETE';
const corsRequestHeaders =
  'A2A-Extensions, A2A-Version, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-API-Key, X-Approver, X-Session-ID, X-Tool-Authorization';
const corsAnswerHeaders = 'ETag, Location, Preference-Applied, Retry-After, X-Session-ID';
const corsMaxAgeSeconds = 600;

/**
 * Refuses what a foreign page sent (see {@link foreignCheck}); answers the preflight questions of allowed ones.
 *
 * @param isVisit - requests that change nothing, and that a link on a foreign page may lead to: of those only the Host header is looked at.
 */
export function browserRules(rules: BrowserRules, isVisit: (req: Request) => boolean = () => false): RequestHandler {
  const whyForeign = foreignCheck(rules);
  const isAllowed = allowedOrigins(rules);

  return (req, res, next) => {
    if (rules.allowedOrigins.length > 0) res.vary('Origin');
    const refused = whyForeign(isVisit(req) ? hostOf(req) : req.headers);
    if (refused !== undefined) throw permissionDenied(refused);
    const origin = req.get('origin');
    if (origin === undefined || !isAllowed(origin)) return next();
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', corsAnswerHeaders);
    if (req.method !== 'OPTIONS' || req.get('access-control-request-method') === undefined) return next();
    res.setHeader('Access-Control-Allow-Methods', corsMethods);
    res.setHeader('Access-Control-Allow-Headers', corsRequestHeaders);
    res.setHeader('Access-Control-Max-Age', corsMaxAgeSeconds);
    res.status(204).end();
  };
}

const hostOf = ({ headers: { host } }: Request) => (host === undefined ? {} : { host });
