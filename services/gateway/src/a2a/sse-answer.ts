import { invalidArgument } from '@stopgo/core';
import type { Request, Response } from 'express';
import { REVISION_MAX } from '../bounds.ts';
import type { RouteDependencies } from '../routes/route.ts';
import { SseWriter } from '../sse.ts';
import type { Cursor } from './call.ts';

/**
 * Sends envelopes as an event stream until they end, the client leaves or the gateway stops. The id of an event is the
 * revision that it shows.
 */
export async function sendStream(
  deps: RouteDependencies,
  res: Response,
  envelopes: AsyncGenerator<object, void>,
  cursor: Cursor,
  left: AbortController,
): Promise<void> {
  const slot = deps.streams.open();
  slot.signal.addEventListener('abort', () => left.abort(), { once: true });
  res.once('close', slot.release);
  const writer = new SseWriter(res, { stallMs: deps.readerStallMs, signal: slot.signal });
  const heartbeat = setInterval(() => writer.offer(': heartbeat\n\n'), deps.heartbeatMs);
  try {
    for await (const envelope of envelopes) {
      const id = cursor.revision === undefined ? '' : `id: ${cursor.revision}\n`;
      await writer.send(`${id}data: ${JSON.stringify(envelope)}\n\n`);
    }
  } finally {
    clearInterval(heartbeat);
    writer.end();
    slot.release();
  }
}

/**
 * The revision that a client has seen last, by its `Last-Event-ID`; undefined if it has seen none.
 *
 * @throws DomainError `invalid_argument` for what is no revision.
 */
export function lastRevisionSeen(req: Request): number | undefined {
  const last = req.get('last-event-id') || undefined;
  if (last === undefined) return undefined;
  if (!/^\d{1,10}$/.test(last) || Number(last) > REVISION_MAX) {
    throw invalidArgument('Last-Event-ID must be the id of an event of this stream: a whole number');
  }
  return Number(last);
}
