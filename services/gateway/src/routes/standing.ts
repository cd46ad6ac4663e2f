import { invalidArgument, type Json } from '@stopgo/core';
import { objectBody } from '@stopgo/http';
import type { views } from '@stopgo/proto';
import { approverActor } from '../actor.ts';
import { idempotencyOf } from '../idempotency.ts';
import { approvalIdOf, conversationIdOf, standingIdOf } from '../path-ids.ts';
import { renderConversation } from '../render/conversation.ts';
import { soundView } from '../render/sound-view.ts';
import { textMember } from '../request-text.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const grantPath = '/approvals/:uuid/standing';
const revokePath = '/conversations/:id/standing/:standing/revoke';
const nameBytesMax = 512;

/** Approvals that stand for the rest of a conversation. */
export const standingRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: grantPath, handle: grant(deps) },
  { method: 'POST', path: revokePath, handle: revoke(deps) },
];

const grant =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, ['arguments', 'by']);
    const sameArguments = isForSame(body.arguments);
    const actor = approverActor(req, frame, textMember(body, 'by', nameBytesMax));
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
    const body = objectBody(req, ['by']);
    const actor = approverActor(req, frame, textMember(body, 'by', nameBytesMax));
    const [id, standingId] = [conversationIdOf(req), standingIdOf(req)];
    await permit(deps, frame, 'approval.resolve', { kind: 'conversation', id });
    const idempotency = idempotencyOf(req, { route: revokePath, params: { id, standing: standingId }, body, actor });
    const { view } = await deps.clients.approvals.revokeStanding(
      { conversationId: id, standingId, actor, ...(idempotency === undefined ? {} : { idempotency }) },
      { context: frame.context },
    );
    answer(view, res, frame);
  };

/** What is said so widely has to be said in so many words. */
function isForSame(value: Json | undefined): boolean {
  if (value === 'same' || value === 'any') return value === 'same';
  throw invalidArgument('"arguments" must be same or any: whether calls with other arguments run as well');
}

function answer(
  view: views.ConversationView | undefined,
  res: Parameters<Handler>[1],
  frame: Parameters<Handler>[2],
): void {
  const sound = soundView(view);
  frame.conversationId = sound.head.id;
  sendJson(res, 200, { conversation: renderConversation(sound) });
}
