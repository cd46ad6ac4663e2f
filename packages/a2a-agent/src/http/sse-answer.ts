import type { Response } from 'express';
import type { HttpAgent, Peer } from './http-agent.ts';
import { SseWriter } from './sse.ts';

/**
 * Sends JSON as an event stream until they end, the client leaves or the server stops. The id of an event is the
 * revision that it shows.
 */
export async function sendStream<Frame>(
  { streams, heartbeatMs, readerStallMs }: HttpAgent<Frame>,
  res: Response,
  events: AsyncGenerator<object, void>,
  { cursor, left }: Pick<Peer, 'cursor' | 'left'>,
): Promise<void> {
  const slot = streams.open();
  slot.signal.addEventListener('abort', () => left.abort(), { once: true });
  res.once('close', slot.release);
  const writer = new SseWriter(res, { stallMs: readerStallMs, signal: slot.signal });
  const heartbeat = setInterval(() => writer.offer(': heartbeat\n\n'), heartbeatMs);
  try {
    for await (const event of events) {
      const id = cursor.revision === undefined ? '' : `id: ${cursor.revision}\n`;
      await writer.send(`${id}data: ${JSON.stringify(event)}\n\n`);
    }
  } finally {
    clearInterval(heartbeat);
    writer.end();
    slot.release();
  }
}
