import { conversationStream, invalidArgument } from '@stopgo/core';
import type { Request } from 'express';
import { SSE_RETRY_MS } from '../bounds.ts';
import type { Frame } from '../frame.ts';
import type { StreamSlot } from '../open-streams.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { Query } from '../query.ts';
import { deltaText, eventText } from '../render/event.ts';
import { SseWriter } from '../sse.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** Revisions are unsigned 32-bit numbers; the one after the last seen must be one too. */
const REVISION_MAX = 0xffff_fffe;

/** Following a conversation. */
export const eventRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/conversations/:id/events', handle: follow(deps) },
];

const follow =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const id = conversationIdOf(req);
    frame.conversationId = id;
    const fromRevision = firstRevision(req);
    await permit(deps, frame, 'conversation.follow', { kind: 'conversation', id });
    const slot = deps.streams.open();
    res.once('close', slot.release);
    try {
      const known = deps.clients.store.getConversation({ conversationId: id }, { context: frame.context });
      await orNotFound(known, conversationNotFound(id));
      const writer = new SseWriter(res, { stallMs: deps.readerStallMs, signal: slot.signal });
      if (req.method === 'HEAD') {
        writer.end();
        return;
      }
      await stream(deps, frame, { id, fromRevision, slot, writer });
    } finally {
      slot.release();
    }
  };

type Following = {
  readonly id: string;
  readonly fromRevision: number;
  readonly slot: StreamSlot;
  readonly writer: SseWriter;
};

/** Sends events until the client leaves, the gateway stops or the store breaks off; then the client connects again. */
async function stream(deps: RouteDependencies, frame: Frame, { id, fromRevision, slot, writer }: Following) {
  const { store } = deps.clients;
  const options = { context: frame.context, signal: slot.signal };
  const heartbeat = setInterval(() => writer.offer(': heartbeat\n\n'), deps.heartbeatMs);
  const deltas = sendDeltas(deps, id, writer, options);
  try {
    await writer.send(`retry: ${SSE_RETRY_MS}\n\n`);
    for await (const { event } of store.follow({ stream: conversationStream(id), fromRevision }, options)) {
      if (event !== undefined) await writer.send(eventText(event.envelope));
    }
  } catch (error) {
    if (!slot.signal.aborted) deps.log.warn('an event stream broke off', { conversation: id, error });
  } finally {
    clearInterval(heartbeat);
    slot.release();
    await deltas;
    writer.end();
  }
}

/** Deltas are a courtesy: without them the events still tell everything. Never rejects. */
async function sendDeltas(
  { clients, log }: RouteDependencies,
  conversationId: string,
  writer: SseWriter,
  options: { readonly context: Frame['context']; readonly signal: AbortSignal },
): Promise<void> {
  try {
    for await (const { delta } of clients.store.watchDeltas({ conversationId }, options)) {
      if (delta !== undefined) writer.offer(deltaText(delta));
    }
  } catch (error) {
    if (!options.signal.aborted) log.debug('deltas broke off', { conversation: conversationId, error });
  }
}

/** The revision to begin with: the one after `Last-Event-ID`, else `?from=`, else the first. */
function firstRevision(req: Request): number {
  const last = req.get('last-event-id');
  if (last === undefined || last === '') return new Query(req).integer('from', 1, REVISION_MAX) ?? 1;
  if (!/^\d{1,10}$/.test(last) || Number(last) > REVISION_MAX) {
    throw invalidArgument('Last-Event-ID must be the id of an event of this stream: a whole number');
  }
  return Number(last) + 1;
}
