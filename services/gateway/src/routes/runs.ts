import { userActor } from '../actor.ts';
import { agentNameBytesMax, callMarginMs } from '../bounds.ts';
import { contextOfFirst } from '../frame.ts';
import { conversationIdFor, idempotencyKeyOf, idempotencyOf } from '../idempotency.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { optionalMessage, requiredMessage, textMember } from '../request-text.ts';
import { runBody, runWishesIn } from '../run-wishes.ts';
import { answerTurn } from '../turn-answer.ts';
import { type Control, controls } from './control.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

// None of these calls is tied to the client's connection: a client that leaves does not stop the run.

const createPath = '/conversations';
const messagePath = '/conversations/:id/messages';

const cancel: Control = {
  path: '/conversations/:id/cancel',
  action: 'run.cancel',
  isExplained: true,
  ask: (orchestrator, { wait: _, ...asked }, { reason }, options) =>
    orchestrator.cancelRun({ ...asked, reason }, options),
};

/** What starts, continues and cancels runs. */
export const runRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: createPath, handle: create(deps) },
  { method: 'POST', path: messagePath, handle: sendMessage(deps) },
  { method: 'POST', path: cancel.path, handle: controls(deps, cancel) },
];

const create =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = runBody(req, ['message', 'agent']);
    const message = optionalMessage(body, deps.limits.messageBytes);
    const agentName = textMember(body, 'agent', agentNameBytesMax) ?? '';
    const wishes = runWishesIn(body, message);
    const key = idempotencyKeyOf(req);
    const id = key === undefined ? deps.newId() : conversationIdFor(frame.principal, key);
    await permit(deps, frame, 'conversation.create', { kind: 'conversation' });
    frame.conversationId = id;
    const preferences = preferencesOf(req);
    const milliseconds = waitMsOf(preferences, deps.syncWaitMs);
    const actor = userActor(frame);
    const idempotency = idempotencyOf(req, { route: createPath, params: {}, body, actor });
    const { turn } = await deps.clients.orchestrator.createConversation(
      {
        conversationId: id,
        message: message ?? '',
        agentName,
        ...wishes,
        caller: { actor },
        wait: { milliseconds },
        ...(idempotency === undefined ? {} : { idempotency }),
      },
      { context: contextOfFirst(frame), timeoutMs: milliseconds + callMarginMs },
    );
    await answerTurn(deps, res, frame, {
      turn,
      status: 201,
      preferences,
      waitMs: milliseconds,
      withResult: message !== undefined,
    });
  };

const sendMessage =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const body = runBody(req, ['message']);
    const message = requiredMessage(body, deps.limits.messageBytes);
    const wishes = runWishesIn(body, message);
    const id = conversationIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'message.send', { kind: 'conversation', id });
    const preferences = preferencesOf(req);
    const milliseconds = waitMsOf(preferences, deps.syncWaitMs);
    const actor = userActor(frame);
    const idempotency = idempotencyOf(req, { route: messagePath, params: { id }, body, actor });
    const call = deps.clients.orchestrator.sendMessage(
      {
        conversationId: id,
        message,
        ...wishes,
        caller: { actor },
        wait: { milliseconds },
        ...(idempotency === undefined ? {} : { idempotency }),
      },
      { context: frame.context, timeoutMs: milliseconds + callMarginMs },
    );
    const { turn } = await orNotFound(call, () => conversationNotFound(id));
    await answerTurn(deps, res, frame, { turn, status: 200, preferences, waitMs: milliseconds, withResult: true });
  };
