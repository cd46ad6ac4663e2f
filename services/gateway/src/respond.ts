import type { Response } from 'express';
import { type Answer, jsonText } from './json-text.ts';

/** Sends JSON. Does nothing if the request has been answered already (a stop answers for a handler that is late). */
export function sendJson(res: Response, status: number, body: Answer): void {
  if (res.headersSent) return;
  const bytes = Buffer.from(jsonText(body));
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', bytes.byteLength);
  res.end(bytes);
}
