import type { views } from '@stopgo/proto';
import { waitConversationsShown } from '../bounds.ts';
import type { Answer } from '../json-text.ts';
import { renderWait } from '../render/waiting.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** What runs wait for besides people, across conversations: what is out of reach, since when, and who is held up by it. */
export const waitRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/waits', handle: list(deps) },
];

const list =
  (deps: RouteDependencies): Handler =>
  async (_req, res, frame) => {
    await permit(deps, frame, 'waits.list', { kind: 'service' });
    const { waits } = await deps.clients.store.listWaits({}, { context: frame.context });
    sendJson(res, 200, { waits: together(waits) });
  };

/** What several runs wait for is one thing: it is told since the first of them waits, what is waited for longest first. */
function together(waits: readonly views.RunWait[]): Answer[] {
  const things = new Map<string, [views.RunWait, ...views.RunWait[]]>();
  for (const wait of waits.toSorted((a, b) => at(a) - at(b))) {
    const thing = `${wait.kind} ${wait.name}`;
    const known = things.get(thing);
    if (known === undefined) things.set(thing, [wait]);
    else known.push(wait);
  }
  return [...things.values()].map((all) => {
    const conversations = [...new Set(all.map(({ conversationId }) => conversationId))];
    return {
      ...renderWait(all[0]),
      runs: conversations.length,
      conversation_ids: conversations.slice(0, waitConversationsShown),
    };
  });
}

const at = ({ since }: views.RunWait): number => Number(since?.seconds ?? 0) * 1_000 + (since?.nanos ?? 0) / 1_000_000;
