import type { views } from '@stopgo/proto';
import { approverActor } from '../actor.ts';
import { decidedBySomebody, grantStanding } from '../api/approval-request.ts';
import { checkedBody } from '../checked-body.ts';
import { idempotencyOf } from '../idempotency.ts';
import { approvalIdOf, conversationIdOf, standingIdOf } from '../path-ids.ts';
import { renderConversation } from '../render/conversation.ts';
import { soundView } from '../render/sound-view.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const grantPath = '/approvals/:uuid/standing';
const revokePath = '/conversations/:id/standing/:standing/revoke';

/** Approvals that stand for the rest of a conversation. */
export const standingRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: grantPath, handle: grant(deps) },
  { method: 'POST', path: revokePath, handle: revoke(deps) },
];

const grant =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const { sent: body, said } = checkedBody(req, grantStanding);
    const sameArguments = said.arguments === 'same';
    const actor = approverActor(req, frame, said.by ?? undefined);
    const id = approvalIdOf(req);
    await permit(deps, frame, 'approval.resolve', { kind: 'approval', id });
    const idempotency = idempotencyOf(req, { route: grantPath, params: { uuid: id }, body, actor });
    const { view } = await deps.clients.approvals.grantStanding(
      { approvalId: id, sameArguments, actor, ...(idempotency === undefined ? {} : { idempotency }) },
      { context: frame.context },
    );
    answer(view, res, frame);
  };

const revoke =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const { sent: body, said } = checkedBody(req, decidedBySomebody);
    const actor = approverActor(req, frame, said.by ?? undefined);
    const [id, standingId] = [conversationIdOf(req), standingIdOf(req)];
    await permit(deps, frame, 'approval.resolve', { kind: 'conversation', id });
    const idempotency = idempotencyOf(req, { route: revokePath, params: { id, standing: standingId }, body, actor });
    const { view } = await deps.clients.approvals.revokeStanding(
      { conversationId: id, standingId, actor, ...(idempotency === undefined ? {} : { idempotency }) },
      { context: frame.context },
    );
    answer(view, res, frame);
  };

function answer(
  view: views.ConversationView | undefined,
  res: Parameters<Handler>[1],
  frame: Parameters<Handler>[2],
): void {
  const sound = soundView(view);
  frame.conversationId = sound.head.id;
  sendJson(res, 200, { conversation: renderConversation(sound) });
}
