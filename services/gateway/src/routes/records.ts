import { conversationStream, resourceExhausted } from '@stopgo/core';
import { exportedEvent } from '@stopgo/core/export';
import { verificationsMax, verifyMs } from '../bounds.ts';
import { joinSession } from '../frame.ts';
import { JsonPieces } from '../json-pieces.ts';
import { openConversation } from '../messages.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { recordedEvents } from '../recorded-events.ts';
import { renderConversation } from '../render/conversation.ts';
import { shownLine } from '../render/shown.ts';
import { soundView } from '../render/sound-view.ts';
import { sendJson, sendLongJson } from '../respond.ts';
import { whileThere } from '../while-there.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** The record behind a conversation: whether it is sound, and the whole of it. */
export const recordRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/conversations/:id/verification', handle: verify(deps) },
  { method: 'GET', path: '/conversations/:id/export', handle: exportAll(deps) },
];

/** A store recomputes the hash chain and the views. Its head is for keeping: it stands for all events before it. */
function verify(deps: RouteDependencies): Handler {
  let running = 0;
  return async (req, res, frame) => {
    const id = conversationIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
    const { store } = deps.clients;
    const { context } = frame;
    const known = store.getConversation({ conversationId: id }, { context });
    const { head } = soundView((await orNotFound(known, () => conversationNotFound(id))).view);
    joinSession(frame, head);
    if (running >= verificationsMax)
      throw resourceExhausted(`${running} conversations are being verified; try again when one of them is done`);
    running += 1;
    try {
      await whileThere(res, async (signal) => {
        const stream = conversationStream(id);
        const { events, problems } = await store.verifyStream({ stream }, { context, signal, timeoutMs: verifyMs });
        const last = await store.readStream(
          { stream, fromRevision: Math.max(1, events), limit: 1 },
          { context, signal },
        );
        const hash = last.events[0] && Buffer.from(last.events[0].hash).toString('hex');
        const isSound = problems.length === 0;
        sendJson(res, 200, {
          sound: isSound,
          events,
          problems: problems.map(shownLine),
          head: isSound && hash !== undefined ? { stream, revision: events, hash } : undefined,
          verified_at: new Date(deps.wallClock()).toISOString(),
        });
      });
    } finally {
      running -= 1;
    }
  };
}

/** One document, sent while it is read: the conversation, its messages, and its events with the bytes and hashes of their chain. */
const exportAll =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const id = conversationIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
    const { store } = deps.clients;
    const opened = openConversation(store, id, frame.context);
    const { view, messages } = await orNotFound(opened, () => conversationNotFound(id));
    joinSession(frame, view.head);
    const pages = recordedEvents(store, { id, from: 1, to: view.head.revision }, { context: frame.context });
    const events = JsonPieces.list(pages, (recorded) => JSON.stringify(exportedEvent(recorded)));
    const body = { stream: conversationStream(id), conversation: renderConversation(view, messages), events };
    const headers = { 'Content-Disposition': `attachment; filename="conversation-${id}.json"` };
    await sendLongJson(res, 200, body, { headers, stallMs: deps.readerStallMs });
  };
