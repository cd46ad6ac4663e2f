import { visibleJson } from '@stopgo/core';
import type { Response } from 'express';
import { answerPieceCharacters } from './bounds.ts';
import { drained } from './drained.ts';
import { jsonPieces, type LongAnswer } from './json-pieces.ts';
import { type Answer, jsonText } from './json-text.ts';

const jsonType = 'application/json; charset=utf-8';

/** Sends JSON. Does nothing if the request has been answered already (a stop answers for a handler that is late). */
export function sendJson(res: Response, status: number, body: Answer): void {
  if (!res.headersSent) sendText(res, status, jsonText(body));
}

export type LongAnswerOptions = {
  /** Headers of this answer, which an error in its place does not carry. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long a client may read nothing while something waits for it, in milliseconds; then it is cut off. */
  readonly stallMs: number;
};

/**
 * As {@link sendJson}, but a long answer is sent while it is made, no faster than the client reads. It then has no
 * Content-Length, and its status is out before it is whole: what fails afterwards is thrown as ever, and all that the
 * caller can do is to close the connection.
 */
export async function sendLongJson(
  res: Response,
  status: number,
  body: LongAnswer,
  { headers = {}, stallMs }: LongAnswerOptions,
): Promise<void> {
  let begun = false;
  let held = '';
  for await (const piece of jsonPieces(body)) {
    held += piece;
    if (held.length < answerPieceCharacters) continue;
    if (!begun) {
      if (res.headersSent) return;
      begun = true;
      setHeaders(res, headers);
      res.statusCode = status;
      res.setHeader('Content-Type', jsonType);
      if (res.req.method === 'HEAD') {
        res.end();
        return;
      }
    }
    if (!res.write(visibleJson(held))) await drained(res, stallMs);
    if (res.destroyed) return;
    held = '';
  }
  if (begun) {
    res.end(visibleJson(held));
  } else if (!res.headersSent) {
    setHeaders(res, headers);
    sendText(res, status, held);
  }
}

function sendText(res: Response, status: number, text: string): void {
  // Read in a terminal, too, it must look like what it is; for a program it is the same value.
  const bytes = Buffer.from(visibleJson(text));
  res.statusCode = status;
  res.setHeader('Content-Type', jsonType);
  res.setHeader('Content-Length', bytes.byteLength);
  res.end(bytes);
}

function setHeaders(res: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}
