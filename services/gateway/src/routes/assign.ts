import { internalError } from '@stopgo/core';
import { approverActor } from '../actor.ts';
import { assignTo, bySomebody } from '../api/approval-request.ts';
import { checkedBody } from '../checked-body.ts';
import { idempotencyOf } from '../idempotency.ts';
import { approvalIdOf, approvalNotFound, orNotFound } from '../path-ids.ts';
import { renderApproval } from '../render/approval.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const assignPath = '/approvals/:uuid/assign';
const unassignPath = '/approvals/:uuid/unassign';

/** Saying who is to look at an approval. */
export const assignRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: assignPath, handle: assign(deps, assignPath) },
  { method: 'POST', path: unassignPath, handle: assign(deps, unassignPath) },
];

const assign =
  (deps: RouteDependencies, route: string): Handler =>
  async (req, res, frame) => {
    const named = route === assignPath ? checkedBody(req, assignTo) : undefined;
    const { sent: body, said } = named ?? checkedBody(req, bySomebody);
    const name = named?.said.to;
    const actor = approverActor(req, frame, said.by ?? undefined);
    const id = approvalIdOf(req);
    await permit(deps, frame, 'approval.resolve', { kind: 'approval', id });
    const idempotency = idempotencyOf(req, { route, params: { uuid: id }, body, actor });
    const call = deps.clients.approvals.assign(
      { approvalId: id, to: toOf(name), actor, ...(idempotency === undefined ? {} : { idempotency }) },
      { context: frame.context },
    );
    const { approval } = await orNotFound(call, () => approvalNotFound(id));
    if (approval === undefined) throw internalError('an answer came without its approval');
    frame.conversationId = approval.conversationId;
    sendJson(res, 200, { approval: renderApproval(approval, deps.wallClock()) });
  };

function toOf(name: string | undefined) {
  if (name === undefined) return { case: 'nobody', value: true } as const;
  return name === 'me' ? ({ case: 'self', value: true } as const) : ({ case: 'name', value: name } as const);
}
