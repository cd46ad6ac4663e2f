import { cardOf, compatibleCardOf } from '@stopgo/a2a-agent';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from '../routes/route.ts';
import { profileOf, reachedAt } from './profile.ts';

/** Where agents of each age look for the card; the last is for readers of 1.0 that do not say so. */
export const cardRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/.well-known/agent-card.json', handle: card(deps) },
  { method: 'GET', path: '/.well-known/agent.json', handle: card(deps) },
  { method: 'GET', path: '/v1.0/.well-known/agent-card.json', handle: card(deps, '1.0') },
];

const card =
  (deps: RouteDependencies, version?: string): Handler =>
  async (req, res, frame) => {
    await permit(deps, frame, 'card.read', { kind: 'service' });
    const profile = await profileOf(deps, reachedAt(req), frame);
    res.vary('A2A-Version');
    sendJson(res, 200, (version ?? req.get('a2a-version')) === '1.0' ? cardOf(profile) : compatibleCardOf(profile));
  };
