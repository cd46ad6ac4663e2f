import { visibleJson } from '@stopgo/core';
import type { StreamSlot } from '@stopgo/http';
import { SseWriter } from '@stopgo/http';
import type { Response } from 'express';
import type { HttpAgent } from './http-agent.ts';
import type { Peer } from './peer.ts';

/**
 * Takes the place of a stream, before anything is done for it: what is refused here has had no effect. It is given back when
 * the connection closes.
 *
 * @throws DomainError `resource_exhausted` if as many streams are open as may be.
 */
export function openStream<Frame>(
  { streams }: HttpAgent<Frame>,
  res: Response,
  { left }: Pick<Peer, 'left'>,
): StreamSlot {
  const slot = streams.open();
  slot.signal.addEventListener('abort', () => left.abort(), { once: true });
  res.once('close', slot.release);
  return slot;
}

/**
 * Sends JSON as an event stream in the place taken for it, until the events end, the client leaves or the server stops. The id of an event is the
 * revision that it shows.
 */
export async function sendStream<Frame>(
  { heartbeatMs, readerStallMs }: HttpAgent<Frame>,
  res: Response,
  slot: StreamSlot,
  events: AsyncGenerator<object, void>,
  { cursor }: Pick<Peer, 'cursor'>,
): Promise<void> {
  const writer = new SseWriter(res, { stallMs: readerStallMs, signal: slot.signal });
  const heartbeat = setInterval(() => writer.offer(': heartbeat\n\n'), heartbeatMs);
  try {
    for await (const event of events) {
      const id = cursor.revision === undefined ? '' : `id: ${cursor.revision}\n`;
      await writer.send(`${id}data: ${visibleJson(JSON.stringify(event))}\n\n`);
    }
  } finally {
    clearInterval(heartbeat);
    writer.end();
    slot.release();
  }
}
