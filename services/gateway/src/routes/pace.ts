import { objectBody } from '@stopgo/http';
import { approverNamed, userActor } from '../actor.ts';
import { callMarginMs, cancelReasonBytesMax } from '../bounds.ts';
import { idempotencyOf } from '../idempotency.ts';
import { conversationIdOf } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { textMember } from '../request-text.ts';
import { answerTurn } from '../turn-answer.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const pausePath = '/runs/:id/pause';
const resumePath = '/runs/:id/resume';

/** What pauses the latest run of a conversation, whose id names the run, and has it go on. */
export const paceRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: pausePath, handle: pause(deps) },
  { method: 'POST', path: resumePath, handle: resume(deps) },
];

const pause =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, ['reason']);
    const reason = textMember(body, 'reason', cancelReasonBytesMax) ?? '';
    const id = conversationIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'run.pause', { kind: 'conversation', id });
    const preferences = preferencesOf(req);
    const actor = userActor(frame, approverNamed(req.get('x-approver')));
    const idempotency = idempotencyOf(req, { route: pausePath, params: { id }, body, actor });
    const { turn } = await deps.clients.orchestrator.pauseRun(
      { conversationId: id, reason, caller: { actor }, ...(idempotency === undefined ? {} : { idempotency }) },
      { context: frame.context, timeoutMs: callMarginMs },
    );
    await answerTurn(deps, res, frame, { turn, status: 200, preferences, withResult: true });
  };

const resume =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = objectBody(req, []);
    const id = conversationIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'run.resume', { kind: 'conversation', id });
    const preferences = preferencesOf(req);
    const milliseconds = waitMsOf(preferences, deps.syncWaitMs);
    const actor = userActor(frame, approverNamed(req.get('x-approver')));
    const idempotency = idempotencyOf(req, { route: resumePath, params: { id }, body, actor });
    const { turn } = await deps.clients.orchestrator.unpauseRun(
      {
        conversationId: id,
        caller: { actor },
        wait: { milliseconds },
        ...(idempotency === undefined ? {} : { idempotency }),
      },
      { context: frame.context, timeoutMs: milliseconds + callMarginMs },
    );
    await answerTurn(deps, res, frame, { turn, status: 200, preferences, waitMs: milliseconds, withResult: true });
  };
