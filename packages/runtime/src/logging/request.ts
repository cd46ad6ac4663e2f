import type { Logger } from './logger.ts';

/** From this status on a request is logged as an error: it is the platform's fault. */
const serverErrorStatus = 500;

/** One request that was answered. */
export type RequestLogEntry = {
  readonly status: number;
  readonly durationMs: number;
  readonly method: string;
  /** The path; a query is dropped, since it may hold credentials. */
  readonly path: string;
  /** The session id of the request, sent or made. */
  readonly sid: string;
  /** The conversation it was about, when it was about one. */
  readonly conversation?: string;
};

/** Writes the one line per request (status, time, method, path, session, level, conversation). */
export function logRequest(logger: Logger, entry: RequestLogEntry): void {
  const fields = { ...entry, path: entry.path.replace(/\?.*$/s, '') };
  if (entry.status >= serverErrorStatus) logger.error('request', fields);
  else logger.info('request', fields);
}
