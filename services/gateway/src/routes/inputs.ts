import { exactObjectBody } from '@stopgo/http';
import { approverActor } from '../actor.ts';
import { actions } from '../answer-codes.ts';
import { provideInput } from '../api/approval-request.ts';
import { callMarginMs } from '../bounds.ts';
import { membersOf, saidBy } from '../checked-body.ts';
import { fileIn, identified } from '../given-file.ts';
import { idempotencyOf } from '../idempotency.ts';
import { conversationIdOf, inputIdOf } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { answerTurn } from '../turn-answer.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const providePath = '/conversations/:id/inputs/:input';
/** Who answers is looked at after the file. */
const byWhom = provideInput.pick({ by: true }).strip();

/** Answers to what tool servers ask people in the midst of calls, and to what agents ask people for. */
export const inputRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'POST', path: providePath, handle: provide(deps) },
];

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
