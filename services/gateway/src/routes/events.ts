import { conversationStream, invalidArgument } from '@stopgo/core';
import type { StreamSlot } from '@stopgo/http';
import { SseWriter } from '@stopgo/http';
import type { Request } from 'express';
import { tenureOf } from '../auth/tenure.ts';
import { revisionMax, sseRetryMs } from '../bounds.ts';
import { type Frame, joinSession } from '../frame.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { Query } from '../query.ts';
import { deltaText, eventText } from '../render/event.ts';
import { soundView } from '../render/sound-view.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

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
      // Who left while the permission was asked for has closed already and does not close again.
      if (res.destroyed) return;
      const known = deps.clients.store.getConversation({ conversationId: id }, { context: frame.context });
      const { view } = await orNotFound(known, () => conversationNotFound(id));
      const { head } = soundView(view);
      joinSession(frame, head);
      refuseBeyond(head.revision, req);
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
  const tenure = tenureOf(deps, frame, 'conversation.follow', { kind: 'conversation', id });
  const signal = AbortSignal.any([slot.signal, tenure.signal]);
  const options = { context: frame.context, signal };
  const heartbeat = setInterval(() => writer.offer(': heartbeat\n\n'), deps.heartbeatMs);
  const deltas = sendDeltas(deps, id, writer, options);
  try {
    await writer.send(`retry: ${sseRetryMs}\n\n`);
    for await (const { event } of store.follow({ stream: conversationStream(id), fromRevision }, options)) {
      if (event !== undefined) await writer.send(eventText(event.envelope));
    }
  } catch (error) {
    if (!signal.aborted) deps.log.warn('an event stream broke off', { conversation: id, error });
  } finally {
    clearInterval(heartbeat);
    tenure.end();
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

/** A stream that goes on after an event that is not there would be silent until it is, and lose all before it. */
function refuseBeyond(head: number, req: Request): void {
  const last = lastEventId(req);
  if (last === undefined || Number(last) <= head) return;
  throw invalidArgument(
    `Last-Event-ID ${last} is beyond the last event of this conversation, which is ${head}; leave it out to begin with the first`,
  );
}

/** The id of the last event that the client has seen; undefined if it has seen none. */
const lastEventId = (req: Request): string | undefined => req.get('last-event-id') || undefined;

/** The revision to begin with: the one after `Last-Event-ID`, else `?from=`, else the first. */
function firstRevision(req: Request): number {
  const last = lastEventId(req);
  if (last === undefined) return new Query(req).integer('from', 1, revisionMax) ?? 1;
  if (!/^\d{1,10}$/.test(last) || Number(last) > revisionMax) {
    throw invalidArgument('Last-Event-ID must be the id of an event of this stream: a whole number');
  }
  return Number(last) + 1;
}
