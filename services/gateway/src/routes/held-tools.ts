import { objectBody } from '@stopgo/http';
import { approverActor } from '../actor.ts';
import { acceptTools } from '../api/tool-request.ts';
import { membersOf, saidBy } from '../checked-body.ts';
import { renderHeldTool } from '../render/held-tool.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

/** Who accepts them is looked at first. */
const byWhom = acceptTools.pick({ by: true }).strip();

/** Tools that are held until somebody accepts them: what they are, and accepting them. */
export const heldToolRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/tools/held', handle: list(deps) },
  { method: 'POST', path: '/tools/accept', handle: accept(deps) },
];

const list =
  (deps: RouteDependencies): Handler =>
  async (_req, res, frame) => {
    await permit(deps, frame, 'tools.list', { kind: 'tools' });
    const { tools } = await deps.clients.bridge.listHeldTools({}, { context: frame.context });
    sendJson(res, 200, { tools: tools.map(renderHeldTool) });
  };

const accept =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, membersOf(acceptTools));
    const actor = approverActor(req, frame, saidBy(byWhom, body).by ?? undefined);
    const { tools } = saidBy(acceptTools, body);
    await permit(deps, frame, 'tools.accept', { kind: 'tools' });
    const options = { context: frame.context };
    const { servers } = await deps.clients.bridge.defineTools({ tools }, options);
    const accepted = servers.map(({ identity, tools: ofServer }) => ({ identity, tools: ofServer }));
    const { revisions } = await deps.clients.approvals.acceptTools({ servers: accepted, actor }, options);
    const known = servers.map(({ identity }, index) => ({ identity, revision: revisions[index] ?? 0 }));
    // It is on the record: a bridge that does not answer learns of it by itself.
    await deps.clients.bridge.learnAccepted({ servers: known }, options).catch(() => undefined);
    sendJson(res, 200, { accepted: tools });
  };
