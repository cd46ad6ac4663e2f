import { QUERY_CHARACTERS_MAX } from '../bounds.ts';
import type { Frame } from '../frame.ts';
import { readConversation, readMessagesOfMany } from '../messages.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { preferencesOf } from '../prefer.ts';
import { Query } from '../query.ts';
import { renderConversation, soundView } from '../render/conversation.ts';
import { conversationStatuses } from '../render/words.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** Reading conversations. */
export const conversationRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/conversations', handle: list(deps) },
  { method: 'GET', path: '/conversations/:id', handle: get(deps) },
];

const list =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const query = new Query(req);
    const status = query.choice('status', conversationStatuses);
    const q = query.text('q', QUERY_CHARACTERS_MAX);
    const withMessages = query.choice('include', { messages: true }) ?? false;
    const page = query.page();
    await permit(deps, frame, 'conversation.list', { kind: 'conversation' });
    const { store } = deps.clients;
    const answer = await store.listConversations(
      { ...page, ...(status === undefined ? {} : { status }), ...(q === undefined ? {} : { query: q }) },
      { context: frame.context },
    );
    const views = answer.conversations.map(soundView);
    const messages = withMessages
      ? await readMessagesOfMany(
          store,
          views.map(({ head }) => head),
          frame.context,
        )
      : [];
    sendJson(res, 200, {
      conversations: views.map((view, index) => renderConversation(view, messages[index])),
      summary: {
        total: answer.summary?.total ?? 0,
        active: answer.summary?.active ?? 0,
        waiting_approval: answer.summary?.waitingApproval ?? 0,
        completed: answer.summary?.completed ?? 0,
      },
      next_cursor: answer.nextCursor === '' ? undefined : answer.nextCursor,
      position: Number(answer.position),
    });
  };

const get =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const id = conversationIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
    const { minimal } = preferencesOf(req);
    const conversation = await orNotFound(show(deps, id, minimal, frame), conversationNotFound(id));
    if (minimal) res.setHeader('Preference-Applied', 'return=minimal');
    sendJson(res, 200, { conversation });
  };

async function show(deps: RouteDependencies, conversationId: string, minimal: boolean, { context }: Frame) {
  const { store } = deps.clients;
  if (minimal) {
    const { view } = await store.getConversation({ conversationId }, { context });
    return renderConversation(soundView(view));
  }
  const { view, messages } = await readConversation(store, conversationId, context);
  return renderConversation(view, messages);
}
