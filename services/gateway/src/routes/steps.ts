import { objectBody } from '@stopgo/http';
import { approverNamed, userActor } from '../actor.ts';
import { callMarginMs, cancelReasonBytesMax } from '../bounds.ts';
import { idempotencyOf } from '../idempotency.ts';
import { conversationIdOf, stepIdOf } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { textMember } from '../request-text.ts';
import { answerTurn } from '../turn-answer.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const cancelPath = '/runs/:id/steps/:step/cancel';

/** Steps of the latest run of a conversation, whose id names the run. */
export const stepRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: cancelPath, handle: cancel(deps) },
];

const cancel =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, ['reason']);
    const reason = textMember(body, 'reason', cancelReasonBytesMax) ?? '';
    const [id, stepId] = [conversationIdOf(req), stepIdOf(req)];
    frame.conversationId = id;
    await permit(deps, frame, 'step.cancel', { kind: 'conversation', id });
    const preferences = preferencesOf(req);
    const milliseconds = waitMsOf(preferences, deps.syncWaitMs);
    const actor = userActor(frame, approverNamed(req.get('x-approver')));
    const idempotency = idempotencyOf(req, { route: cancelPath, params: { id, step: stepId }, body, actor });
    const { turn } = await deps.clients.orchestrator.cancelStep(
      {
        ...{ conversationId: id, stepId, reason },
        caller: { actor },
        wait: { milliseconds },
        ...(idempotency === undefined ? {} : { idempotency }),
      },
      { context: frame.context, timeoutMs: milliseconds + callMarginMs },
    );
    await answerTurn(deps, res, frame, { turn, status: 200, preferences, waitMs: milliseconds, withResult: true });
  };
