import type { Action } from '@stopgo/core';
import type { orchestrator as wire } from '@stopgo/proto';
import type { CallOptions } from '@stopgo/rpc';
import { approverNamed, userActor } from '../actor.ts';
import { type explained, nothing, type resumed } from '../api/run-request.ts';
import { callMarginMs } from '../bounds.ts';
import { checkedBody } from '../checked-body.ts';
import { idempotencyOf } from '../idempotency.ts';
import { conversationIdOf, conversationNotFound, orNotFound, stepIdOf } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { newLimitsToWire } from '../render/limits.ts';
import { answerTurn } from '../turn-answer.ts';
import { type Handler, permit, type RouteDependencies } from './route.ts';

type Orchestrator = RouteDependencies['clients']['orchestrator'];

/** What all who control a run ask for. */
type Asked = {
  readonly conversationId: string;
  readonly caller: { readonly actor: ReturnType<typeof userActor> };
  readonly wait: { readonly milliseconds: number };
  readonly idempotency?: NonNullable<ReturnType<typeof idempotencyOf>>;
};

/** Something that people do to the latest run of a conversation, whose id names the run. */
export type Control = {
  readonly path: string;
  readonly action: Action;
  /** What its body may say; absent: nothing. */
  readonly body?: typeof explained | typeof resumed;
  /** It is done to a step, which the path names. */
  readonly isOfStep?: true;
  /** The answer waits for what the run comes to. */
  readonly waits?: true;
  readonly ask: (
    orchestrator: Orchestrator,
    asked: Asked,
    more: { readonly reason: string; readonly stepId: string; readonly limits: ReturnType<typeof newLimitsToWire> },
    options: CallOptions,
  ) => Promise<{ readonly turn?: wire.Turn | undefined }>;
};

/** Does it, and answers with what the run comes to, or how it stands. */
export const controls =
  (deps: RouteDependencies, { path, action, body: schema, isOfStep, waits, ask }: Control): Handler =>
  async (req, res, frame) => {
    const { sent: body, said } = checkedBody(req, schema ?? nothing);
    const reason = 'reason' in said ? (said.reason ?? '') : '';
    const limits = newLimitsToWire('limits' in said ? said.limits : undefined);
    const id = conversationIdOf(req);
    const stepId = isOfStep ? stepIdOf(req) : '';
    frame.conversationId = id;
    await permit(deps, frame, action, { kind: 'conversation', id });
    const preferences = preferencesOf(req);
    const milliseconds = waits ? waitMsOf(preferences, deps.syncWaitMs) : 0;
    const actor = userActor(frame, approverNamed(req.get('x-approver')));
    const params = isOfStep ? { id, step: stepId } : { id };
    const idempotency = idempotencyOf(req, { route: path, params, body, actor });
    const asked = {
      ...{ conversationId: id, caller: { actor }, wait: { milliseconds } },
      ...(idempotency === undefined ? {} : { idempotency }),
    };
    const options = { context: frame.context, timeoutMs: milliseconds + callMarginMs };
    const call = ask(deps.clients.orchestrator, asked, { reason, stepId, limits }, options);
    const { turn } = await orNotFound(call, () => conversationNotFound(id));
    const waited = waits ? { waitMs: milliseconds } : {};
    await answerTurn(deps, res, frame, { turn, status: 200, preferences, ...waited, withResult: true });
  };
