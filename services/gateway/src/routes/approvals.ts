import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  anonymousPrincipal,
  askedWords,
  decisionMembers,
  internalError,
  invalidArgument,
  mayReach,
  type Principal,
  parseDecision,
  principalKey,
  reachOf,
  saidBytesMax,
  textBytesMax,
} from '@stopgo/core';
import { exactObjectBody, type JsonObject, objectBody } from '@stopgo/http';
import { type views, approvals as wire } from '@stopgo/proto';
import type { Request } from 'express';
import { approverActor } from '../actor.ts';
import { callMarginMs, nameCharactersMax } from '../bounds.ts';
import { idempotencyOf } from '../idempotency.ts';
import { approvalIdOf, approvalNotFound, orNotFound } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { Query } from '../query.ts';
import { renderApproval } from '../render/approval.ts';
import { approvalStatuses } from '../render/words.ts';
import { textMember } from '../request-text.ts';
import { sendJson } from '../respond.ts';
import { answerTurn } from '../turn-answer.ts';
import { decideMany } from './decide-many.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const resolvePath = '/approvals/:uuid';

/** Reading approvals and deciding on them. What is read comes from the store, so that it is there while nobody can decide. */
export const approvalRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: '/approvals/decide', handle: decideMany(deps) },
  { method: 'GET', path: '/approvals', handle: list(deps) },
  { method: 'GET', path: '/approvals/:uuid', handle: get(deps) },
  { method: 'POST', path: resolvePath, handle: resolve(deps) },
];

const list =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const query = new Query(req);
    const status = query.choice('status', approvalStatuses);
    const conversationId = query.uuid('conversation');
    const page = query.page();
    const before = query.time('requested_before');
    const narrow = {
      ...{ tool: query.text('tool', nameCharactersMax) ?? '', server: query.text('server', nameCharactersMax) ?? '' },
      node: query.text('node', nameCharactersMax) ?? '',
      ...(before === undefined ? {} : { requestedBefore: timestampFromMs(before) }),
    };
    const mayDecide = query.choice('may_decide', { me: true }) ?? false;
    if (conversationId !== undefined) frame.conversationId = conversationId;
    await permit(deps, frame, 'approval.list', { kind: 'approval' });
    const isOwn = reachOf(frame.principal, 'approval.list') === 'own';
    if (isOwn && conversationId !== undefined)
      await permit(deps, frame, 'conversation.read', { kind: 'conversation', id: conversationId });
    const answer = await deps.clients.store.listApprovals(
      {
        ...page,
        ...narrow,
        ...(status === undefined ? {} : { status }),
        ...(conversationId === undefined ? {} : { conversationId }),
        ...(mayDecide ? { askedOf: askedOf(frame.principal, deps.wallClock()) } : {}),
        ...(isOwn && !mayDecide ? { principal: principalKey(frame.principal) } : {}),
      },
      { context: frame.context },
    );
    sendJson(res, 200, {
      approvals: answer.approvals
        .filter((one) => !mayDecide || !hasVoted(one, principalKey(frame.principal)))
        .map((one) => renderApproval(one, deps.wallClock())),
      next_cursor: answer.nextCursor === '' ? undefined : answer.nextCursor,
    });
  };

/** Whether somebody has said yes already: it waits for others. */
const hasVoted = ({ votes }: views.Approval, key: string): boolean => votes.some(({ voter }) => voter?.key === key);

/** What asks somebody. Whoever is named in what it demands may read it as well, so nothing else is asked of them. */
function askedOf(principal: Principal, now: number) {
  if (principal.kind !== 'user')
    throw invalidArgument('"may_decide" asks for what you may decide: sign in, or leave it out where nobody signs in');
  return { words: [...askedWords(principal)], principal: principalKey(principal), at: timestampFromMs(now) };
}

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
    const result = textMember(body, 'result', textBytesMax) ?? '';
    const said = textMember(body, 'reason', saidBytesMax) ?? '';
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
        result,
        said,
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
  const body = objectBody(req, decisionMembers);
  return body.arguments === undefined ? body : exactObjectBody(req, decisionMembers);
}

function present(approval: views.Approval | undefined): views.Approval {
  if (approval === undefined) throw internalError('an answer came without its approval');
  return approval;
}
