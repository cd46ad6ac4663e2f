import { decisionMembers, type HumanDecision, invalidArgument, isUuid, parseDecision } from '@stopgo/core';
import { type JsonObject, objectBody, refuseUnknownMembers } from '@stopgo/http';
import { describeError } from '@stopgo/runtime';
import type { Request } from 'express';
import { approverActor, type RestActor } from '../actor.ts';
import { callMarginMs, decisionsMax } from '../bounds.ts';
import { problemOf } from '../errors.ts';
import type { Frame } from '../frame.ts';
import { idempotencyOf } from '../idempotency.ts';
import type { Answer } from '../json-text.ts';
import { approvalNotFound, orNotFound } from '../path-ids.ts';
import { renderApproval } from '../render/approval.ts';
import { sendJson } from '../respond.ts';
import { type Handler, permit, type RouteDependencies } from './route.ts';

const path = '/approvals/decide';

/** One decision of many. */
type Named = {
  readonly uuid: string;
  readonly decision: HumanDecision;
  readonly said: string;
  readonly actor: RestActor;
};

/** What comes with all of them. */
type Together = { readonly frame: Frame; readonly identity: ReturnType<typeof idempotencyOf> };

/**
 * Decides on many approvals, one after the other, and answers each on its own: one that is refused changes nothing for the others.
 * Nothing is decided if the request cannot be read as a whole. It waits for no run.
 */
export const decideMany =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, ['decisions', 'by']);
    const named = decisionsIn(req, frame, body);
    const actor = approverActor(req, frame, undefined);
    const together = { frame, identity: idempotencyOf(req, { route: path, params: {}, body, actor }) };
    const results: Answer[] = [];
    for (const one of named) results.push(await answered(deps, one, together));
    sendJson(res, 200, { results });
  };

function decisionsIn(req: Request, frame: Frame, { decisions, by }: JsonObject): readonly Named[] {
  if (!Array.isArray(decisions) || decisions.length === 0 || decisions.length > decisionsMax)
    throw invalidArgument(`"decisions" is a list of 1 to ${decisionsMax}: [{"uuid": "…", "approved": true}]`);
  const named = decisions.map((item, index): Named => {
    const where = `decisions[${index}]`;
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw invalidArgument(`"${where}" is no JSON object`);
    const members = item as JsonObject;
    refuseUnknownMembers(members, ['uuid', ...decisionMembers], where);
    const { uuid, reason, ...decision } = members;
    if (typeof uuid !== 'string' || !isUuid(uuid.toLowerCase()))
      throw invalidArgument(`"${where}.uuid" is no id of an approval`);
    if (decision.arguments !== undefined)
      throw invalidArgument(`"${where}.arguments": arguments are changed one call at a time: POST /approvals/${uuid}`);
    const parsed = parseDecision({ ...(by === undefined ? {} : { by }), ...decision });
    if (!parsed.ok) throw invalidArgument(`"${where}": ${parsed.problem}`);
    if (reason !== undefined && typeof reason !== 'string') throw invalidArgument(`"${where}.reason" must be a text`);
    const actor = approverActor(req, frame, parsed.by);
    return { uuid: uuid.toLowerCase(), decision: parsed.decision, said: reason ?? '', actor };
  });
  if (new Set(named.map(({ uuid }) => uuid)).size < named.length)
    throw invalidArgument('"decisions" names an approval twice: decide once on each');
  return named;
}

async function answered(deps: RouteDependencies, one: Named, { frame, identity }: Together): Promise<Answer> {
  const { uuid, decision, said, actor } = one;
  try {
    await permit(deps, frame, 'approval.resolve', { kind: 'approval', id: uuid });
    const { context } = frame;
    const call = deps.clients.approvals.resolve(
      {
        ...{ approvalId: uuid, kind: decision.kind, result: decision.result ?? '', said, actor },
        wait: { milliseconds: 0 },
        ...(identity === undefined ? {} : { idempotency: { ...identity, key: `${identity.key}:${uuid}` } }),
      },
      { context, timeoutMs: callMarginMs },
    );
    await orNotFound(call, () => approvalNotFound(uuid));
    // It is decided, also if nobody can say how it stands now.
    const read = deps.clients.store.getApproval({ approvalId: uuid }, { context });
    const { approval } = await read.catch(() => ({ approval: undefined }));
    return { uuid, status: 200, approval: approval && renderApproval(approval) };
  } catch (error) {
    const report = (cause: unknown, id: string): void =>
      deps.log.error('internal error', { error_id: id, path, sid: frame.sessionId, error: describeError(cause) });
    const { status, body } = problemOf(error, deps.newId, report, true);
    return { uuid, status, ...body };
  }
}
