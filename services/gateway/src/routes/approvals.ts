import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  anonymousPrincipal,
  internalError,
  invalidArgument,
  mayReach,
  parseDecision,
  principalKey,
  reachOf,
} from '@stopgo/core';
import { exactObjectBody, type JsonObject, objectBody } from '@stopgo/http';
import { type views, approvals as wire } from '@stopgo/proto';
import type { Request } from 'express';
import { approverActor } from '../actor.ts';
import { decision } from '../api/approval-request.ts';
import { listApprovals } from '../api/query.ts';
import { callMarginMs } from '../bounds.ts';
import { membersOf, saidBy } from '../checked-body.ts';
import { idempotencyOf } from '../idempotency.ts';
import { approvalIdOf, approvalNotFound, orNotFound } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { Query } from '../query.ts';
import { renderApproval } from '../render/approval.ts';
import { sendJson } from '../respond.ts';
import { answerTurn } from '../turn-answer.ts';
import { approvalsAsked, askedOf, keyOfMe } from './approval-query.ts';
import { decideMany } from './decide-many.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const resolvePath = '/approvals/:uuid';

/** Reading approvals and deciding on them. What is read comes from the store, so that it is there while nobody can decide. */
export const approvalRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: '/approvals/decide', handle: decideMany(deps) },
  { method: 'GET', path: '/approvals', handle: list(deps) },
  { method: 'GET', path: '/approvals/counts', handle: counts(deps) },
  { method: 'GET', path: '/approvals/:uuid', handle: get(deps) },
  { method: 'POST', path: resolvePath, handle: resolve(deps) },
];

const list =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const page = new Query(req, membersOf(listApprovals)).page();
    const asked = await approvalsAsked(deps, req, frame);
    const answer = await deps.clients.store.listApprovals({ ...page, ...asked }, { context: frame.context });
    sendJson(res, 200, {
      approvals: answer.approvals.map((one) => renderApproval(one, deps.wallClock())),
      next_cursor: answer.nextCursor === '' ? undefined : answer.nextCursor,
    });
  };

const counts =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const me = keyOfMe(req, frame);
    await permit(deps, frame, 'approval.list', { kind: 'approval' });
    const now = deps.wallClock();
    const mine = askedOf(frame.principal, now);
    const isOwn = reachOf(frame.principal, 'approval.list') === 'own';
    const counted = await deps.clients.store.countApprovals(
      {
        at: timestampFromMs(now),
        ...(isOwn ? { principal: principalKey(frame.principal) } : {}),
        ...(mine === undefined ? {} : { askedOf: mine }),
        ...(me === undefined ? {} : { assignee: me }),
      },
      { context: frame.context },
    );
    sendJson(res, 200, {
      counts: {
        waiting: counted.waiting,
        may_decide: mine === undefined ? undefined : counted.asked,
        overdue: counted.overdue,
        assigned_to_me: me === undefined ? undefined : counted.assigned,
      },
    });
  };

const get =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const id = approvalIdOf(req);
    await permit(deps, frame, 'approval.read', { kind: 'approval', id });
    const call = deps.clients.store.getApproval({ approvalId: id }, { context: frame.context });
    const approval = present((await orNotFound(call, () => approvalNotFound(id))).approval);
    frame.conversationId = approval.conversationId;
    sendJson(res, 200, { approval: renderApproval(approval, deps.wallClock()) });
  };

const resolve =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = bodyOf(req);
    const parsed = parseDecision(body);
    if (!parsed.ok) throw invalidArgument(parsed.problem);
    const { result, reason } = saidBy(decision, body);
    const { argumentsJson = '' } = parsed.decision;
    const actor = approverActor(req, frame, parsed.by);
    const id = approvalIdOf(req);
    await permit(deps, frame, 'approval.resolve', { kind: 'approval', id });
    const preferences = preferencesOf(req);
    const milliseconds = waitMsOf(preferences, deps.syncWaitMs);
    const idempotency = idempotencyOf(req, { route: resolvePath, params: { uuid: id }, body, actor });
    const call = deps.clients.approvals.resolve(
      {
        approvalId: id,
        kind: argumentsJson === '' ? parsed.decision.kind : wire.DecisionKind.EDIT,
        result: result ?? '',
        said: reason ?? '',
        argumentsJson,
        actor,
        wait: { milliseconds },
        ...(idempotency === undefined ? {} : { idempotency }),
      },
      { context: frame.context, timeoutMs: milliseconds + callMarginMs },
    );
    const { turn } = await orNotFound(call, () => approvalNotFound(id));
    const { head } = turn?.view ?? {};
    if (head !== undefined) frame.conversationId = head.id;
    // Whoever is asked about one call of somebody else's conversation is shown that call, and nothing else of it.
    if (!mayReach(frame.principal, 'conversation.read', head?.principal || anonymousPrincipal)) {
      const decided = await deps.clients.store.getApproval({ approvalId: id }, { context: frame.context });
      sendJson(res, 200, { approval: renderApproval(present(decided.approval)) });
      return;
    }
    await answerTurn(deps, res, frame, { turn, status: 200, preferences, waitMs: milliseconds, withResult: true });
  };

/** Arguments are kept and sent on as values: what would not survive that is refused. */
function bodyOf(req: Request): JsonObject {
  const members = membersOf(decision);
  const body = objectBody(req, members);
  return body.arguments === undefined ? body : exactObjectBody(req, members);
}

function present(approval: views.Approval | undefined): views.Approval {
  if (approval === undefined) throw internalError('an answer came without its approval');
  return approval;
}
