import { objectBody } from '@stopgo/http';
import type { Request } from 'express';
import { userActor } from '../actor.ts';
import { createConversation, explained, sendMessage as sendMessageBody } from '../api/run-request.ts';
import { callMarginMs } from '../bounds.ts';
import { checkedBody } from '../checked-body.ts';
import { contextOfFirst } from '../frame.ts';
import { conversationIdFor, idempotencyKeyOf, idempotencyOf } from '../idempotency.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { answerTurn } from '../turn-answer.ts';
import { type Control, controls } from './control.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

// None of these calls is tied to the client's connection: a client that leaves does not stop the run.

const createPath = '/conversations';
const messagePath = '/conversations/:id/messages';

const cancel: Control = {
  path: '/conversations/:id/cancel',
  action: 'run.cancel',
  body: explained,
  ask: (orchestrator, { wait: _, ...asked }, { reason }, options) =>
    orchestrator.cancelRun({ ...asked, reason }, options),
};

/** What starts, continues and cancels runs. */
export const runRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: createPath, handle: create(deps) },
  { method: 'POST', path: messagePath, handle: sendMessage(deps) },
  { method: 'POST', path: cancel.path, handle: controls(deps, cancel) },
];

/** Reads the body of a message. */
const readMessage = (req: Request, members: readonly string[]) =>
  objectBody(req, members, {
    priority: 'is not taken: every run begins at once, so none goes before another; leave it out',
  });

/** What a request asks of the run of its message: a commit of its agent, and fewer agents below one another; empty and 0: nothing. */
const wishesIn = ({ git_commit: commit, max_call_depth: depth }: Wishes) => ({
  agentRevision: commit ?? '',
  callDepthMax: depth ?? 0,
});

type Wishes = { readonly git_commit?: string | null | undefined; readonly max_call_depth?: number | null | undefined };

const create = (deps: RouteDependencies): Handler => {
  const schema = createConversation(deps.limits.messageBytes);
  return async (req, res, frame) => {
    const { sent: body, said } = checkedBody(req, schema, readMessage);
    const message = said.message ?? '';
    const agentName = said.agent ?? '';
    const wishes = wishesIn(said);
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
        message,
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
      withResult: message !== '',
    });
  };
};

const sendMessage = (deps: RouteDependencies): Handler => {
  const schema = sendMessageBody(deps.limits.messageBytes);
  return async (req, res, frame) => {
    const { sent: body, said } = checkedBody(req, schema, readMessage);
    const { message } = said;
    const wishes = wishesIn(said);
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
};
