import type { ServerResponse } from 'node:http';

/** Answers with JSON that nobody keeps, and sets cookies. */
export function sendJson(res: ServerResponse, status: number, value: object, cookies: readonly string[] = []): void {
  const body = JSON.stringify(value);
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...(cookies.length === 0 ? {} : { 'Set-Cookie': [...cookies] }),
  });
  res.end(body);
}

/** Answers with an error in one line, as the gateway does. */
export const sendError = (res: ServerResponse, status: number, error: string): void => sendJson(res, status, { error });
