import { joinSession } from '../frame.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { renderPush } from '../render/push.ts';
import { sendJson } from '../respond.ts';
import { permit, type Route, type RouteDependencies } from './route.ts';

/** Who is told of a conversation, and how that goes. */
export const pushRoutes = (deps: RouteDependencies): readonly Route[] => [
  {
    method: 'GET',
    path: '/conversations/:id/push',
    handle: async (req, res, frame) => {
      const conversationId = conversationIdOf(req);
      frame.conversationId = conversationId;
      await permit(deps, frame, 'push.read', { kind: 'conversation', id: conversationId });
      const { store } = deps.clients;
      const call = store.getConversation({ conversationId }, { context: frame.context });
      const { view } = await orNotFound(call, () => conversationNotFound(conversationId));
      if (view?.head !== undefined) joinSession(frame, view.head);
      const { push } = await store.getPush({ conversationId }, { context: frame.context });
      sendJson(res, 200, renderPush(push));
    },
  },
];
