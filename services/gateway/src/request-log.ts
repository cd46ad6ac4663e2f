import { type Logger, logRequest } from '@stopgo/runtime';
import type { RequestHandler } from 'express';
import { frameRequest } from './frame.ts';

/** Logged for a client that left before it was answered. Never sent. */
const statusClientLeft = 499;

/** Frames each request, names its session in the answer, and logs it once when it is over. */
export function requestLog(log: Logger, now: () => number, newSessionId: () => string): RequestHandler {
  return (req, res, next) => {
    const startedAt = now();
    const frame = frameRequest(req, res, newSessionId);
    const tell = (sessionId: string) => {
      if (!res.headersSent) res.setHeader('X-Session-ID', sessionId);
    };
    tell(frame.sessionId);
    frame.onSession = tell;
    const { method, originalUrl } = req;
    res.once('close', () => {
      logRequest(log, {
        status: res.headersSent ? res.statusCode : statusClientLeft,
        durationMs: now() - startedAt,
        method,
        path: pathOf(originalUrl),
        sid: frame.sessionId,
        ...(frame.conversationId === undefined ? {} : { conversation: frame.conversationId }),
      });
    });
    next();
  };
}

/** The path of a request target without what may hold credentials: its query, and the text of a link, however it is spelled. */
export const pathOf = (target: string): string => target.replace(/[?#].*$/s, '').replace(/^\/links\/.+$/s, '/links/…');
