import { principalKey, reachOf, resourceExhausted } from '@stopgo/core';
import type { Response } from 'express';
import { getConversation, listConversations } from '../api/query.ts';
import { pastsMax, queryCharactersMax, revisionMax } from '../bounds.ts';
import { membersOf } from '../checked-body.ts';
import { type Frame, joinSession } from '../frame.ts';
import { listWithMessages } from '../list-with-messages.ts';
import { openConversation } from '../messages.ts';
import { pastConversation } from '../past-conversation.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { preferencesOf } from '../prefer.ts';
import { Query } from '../query.ts';
import { renderConversation, renderSummary } from '../render/conversation.ts';
import { renderMessage } from '../render/message.ts';
import { soundView } from '../render/sound-view.ts';
import { conversationStatuses } from '../render/words.ts';
import { sendJson, sendLongJson } from '../respond.ts';
import { whileThere } from '../while-there.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** Reading conversations. */
export const conversationRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/conversations', handle: list(deps) },
  { method: 'GET', path: '/conversations/:id', handle: get(deps) },
];

const list =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const query = new Query(req, membersOf(listConversations));
    const status = query.choice('status', conversationStatuses);
    const q = query.text('q', queryCharactersMax);
    const withMessages = query.choice('include', { messages: true }) ?? false;
    const page = query.page();
    await permit(deps, frame, 'conversation.list', { kind: 'conversation' });
    const { store } = deps.clients;
    const own = reachOf(frame.principal, 'conversation.list') === 'own' ? principalKey(frame.principal) : '';
    const request = {
      ...page,
      principal: own,
      ...(status === undefined ? {} : { status }),
      ...(q === undefined ? {} : { query: q }),
    };
    if (withMessages) {
      const body = listWithMessages(store, request, frame.context);
      await sendLongJson(res, 200, body, { stallMs: deps.readerStallMs });
      return;
    }
    const answer = await store.listConversations(request, { context: frame.context });
    sendJson(res, 200, {
      conversations: answer.conversations.map((view) => renderConversation(soundView(view))),
      summary: renderSummary(answer.summary),
      next_cursor: answer.nextCursor === '' ? undefined : answer.nextCursor,
      position: Number(answer.position),
    });
  };

function get(deps: RouteDependencies): Handler {
  const showPast = pastConversations(deps);
  return async (req, res, frame) => {
    const id = conversationIdOf(req);
    frame.conversationId = id;
    const revision = new Query(req, membersOf(getConversation)).integer('revision', 1, revisionMax);
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
    if (revision !== undefined) await showPast({ id, revision, minimal: preferencesOf(req).minimal }, res, frame);
    else if (preferencesOf(req).minimal) await showHead(deps, id, res, frame);
    else await showWhole(deps, id, res, frame);
  };
}

async function showHead({ clients }: RouteDependencies, conversationId: string, res: Response, frame: Frame) {
  const call = clients.store.getConversation({ conversationId }, { context: frame.context });
  const view = soundView((await orNotFound(call, () => conversationNotFound(conversationId))).view);
  joinSession(frame, view.head);
  const conversation = renderConversation(view);
  res.setHeader('Preference-Applied', 'return=minimal');
  sendJson(res, 200, { conversation });
}

async function showWhole(deps: RouteDependencies, conversationId: string, res: Response, frame: Frame) {
  const opened = openConversation(deps.clients.store, conversationId, frame.context);
  const { view, messages } = await orNotFound(opened, () => conversationNotFound(conversationId));
  joinSession(frame, view.head);
  const conversation = renderConversation(view, messages);
  await sendLongJson(res, 200, { conversation }, { stallMs: deps.readerStallMs });
}

type Past = { readonly id: string; readonly revision: number; readonly minimal: boolean };

/**
 * Shows a conversation as it stood. What is not on the record, as what a model is doing at the moment, is not told of what is past. Each holds
 * its events in memory meanwhile, so that only some are folded at once.
 */
function pastConversations({ clients, readerStallMs }: RouteDependencies) {
  let running = 0;
  return async ({ id, revision, minimal }: Past, res: Response, frame: Frame): Promise<void> => {
    const now = clients.store.getConversation({ conversationId: id }, { context: frame.context });
    const { head } = soundView((await orNotFound(now, () => conversationNotFound(id))).view);
    joinSession(frame, head);
    if (running >= pastsMax)
      throw resourceExhausted(`${running} conversations are being folded as they stood; try again in a moment`);
    running += 1;
    try {
      await whileThere(res, async (signal) => {
        const asked = { id, revision, headRevision: head.revision };
        const past = await pastConversation(clients.store, asked, { context: frame.context, signal });
        if (minimal) res.setHeader('Preference-Applied', 'return=minimal');
        const messages = minimal ? undefined : past.messages.map(renderMessage);
        const conversation = renderConversation(soundView(past.view), messages);
        await sendLongJson(res, 200, { conversation }, { stallMs: readerStallMs });
      });
    } finally {
      running -= 1;
    }
  };
}
