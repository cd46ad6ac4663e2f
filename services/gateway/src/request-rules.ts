import { invalidArgument } from '@stopgo/core';
import type { RequestHandler } from 'express';
import { isSessionId } from './frame.ts';

/** Headers that mean something here and that two values would make ambiguous. */
const singleHeaders = [
  'host',
  'origin',
  'sec-fetch-site',
  'authorization',
  'x-api-key',
  'x-tool-authorization',
  'idempotency-key',
  'x-approver',
  'x-session-id',
  'last-event-id',
] as const;

/** Refuses requests that two readers could read in two ways, and malformed session ids. */
export const requestRules: RequestHandler = (req, _res, next) => {
  // A full URL names a host of its own, which then could differ from the Host header that is checked.
  if (!req.url.startsWith('/')) throw invalidArgument('the request target must be a path that starts with /');
  for (const name of singleHeaders) {
    if ((req.headersDistinct[name]?.length ?? 0) > 1) {
      throw invalidArgument(`the header ${name} was sent more than once; send it once`);
    }
  }
  const session = req.get('x-session-id');
  if (session !== undefined && !isSessionId(session)) {
    throw invalidArgument('X-Session-ID must match [A-Za-z0-9._:-]{1,128}; leave it out to get a new one');
  }
  next();
};

/** Headers that hold for every answer: nothing is cached, guessed at, framed or referred to. */
export const securityHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  res.setHeader('Referrer-Policy', 'no-referrer');
  next();
};
