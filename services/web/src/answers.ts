import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { pagePolicy } from './headers.ts';

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

/** Answers with a page of ours, which is given a nonce of its own, and sets cookies. A new version of it is there with the next load. */
export function sendHtml(
  res: ServerResponse,
  status: number,
  pageWith: (nonce: string) => string,
  cookies: readonly string[] = [],
): void {
  const nonce = randomBytes(16).toString('base64');
  const body = pageWith(nonce);
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': pagePolicy(nonce),
    'Cache-Control': 'no-cache, no-store',
    ...(cookies.length === 0 ? {} : { 'Set-Cookie': [...cookies] }),
  });
  res.end(body);
}
