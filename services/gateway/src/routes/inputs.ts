import { principalKey, reachOf } from '@stopgo/core';
import { exactObjectBody } from '@stopgo/http';
import { approverActor } from '../actor.ts';
import { actions } from '../answer-codes.ts';
import { provideInput } from '../api/approval-request.ts';
import { listInputs } from '../api/query.ts';
import { callMarginMs } from '../bounds.ts';
import { membersOf, saidBy } from '../checked-body.ts';
import { fileIn, identified } from '../given-file.ts';
import { idempotencyOf } from '../idempotency.ts';
import { conversationIdOf, inputIdOf } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { Query } from '../query.ts';
import { renderInput } from '../render/input.ts';
import { sendJson } from '../respond.ts';
import { answerTurn } from '../turn-answer.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const providePath = '/conversations/:id/inputs/:input';
/** Who answers is looked at after the file. */
const byWhom = provideInput.pick({ by: true }).strip();

/** What tool servers ask people in the midst of calls, and what agents ask people for: what waits, and answers to it. */
export const inputRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/inputs', handle: list(deps) },
  { method: 'POST', path: providePath, handle: provide(deps) },
];

const list =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const query = new Query(req, membersOf(listInputs));
    query.choice('status', { pending: true });
    const page = query.page();
    await permit(deps, frame, 'conversation.list', { kind: 'conversation' });
    const isOwn = reachOf(frame.principal, 'conversation.list') === 'own';
    const request = { ...page, principal: isOwn ? principalKey(frame.principal) : '' };
    const { inputs, nextCursor, total } = await deps.clients.store.listInputs(request, { context: frame.context });
    sendJson(res, 200, {
      inputs: inputs.flatMap(({ conversationId, input }) =>
        input === undefined ? [] : [renderInput(input, conversationId)],
      ),
      next_cursor: nextCursor === '' ? undefined : nextCursor,
      total,
    });
  };

const provide =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    // The tool server is to get the numbers that the person wrote.
    const body = exactObjectBody(req, membersOf(provideInput));
    const action = saidBy(provideInput.shape.action, body.action);
    const { content } = body;
    const file = fileIn(body);
    const actor = approverActor(req, frame, saidBy(byWhom, body).by ?? undefined);
    const id = conversationIdOf(req);
    const inputId = inputIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'input.provide', { kind: 'conversation', id });
    const preferences = preferencesOf(req);
    const milliseconds = waitMsOf(preferences, deps.syncWaitMs);
    const idempotency = idempotencyOf(req, {
      route: providePath,
      params: { id, input: inputId },
      body: identified(body, file),
      actor,
    });
    const { turn } = await deps.clients.orchestrator.provideInput(
      {
        conversationId: id,
        inputId,
        action: actions[action],
        contentJson: content === undefined || content === null ? '' : JSON.stringify(content),
        ...(file === undefined ? {} : { file }),
        caller: { actor },
        wait: { milliseconds },
        ...(idempotency === undefined ? {} : { idempotency }),
      },
      { context: frame.context, timeoutMs: milliseconds + callMarginMs },
    );
    await answerTurn(deps, res, frame, { turn, status: 200, preferences, waitMs: milliseconds, withResult: true });
  };
