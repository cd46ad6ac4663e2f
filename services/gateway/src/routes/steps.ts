import {
  AgentSteps,
  type ConversationState,
  conversationStream,
  decodeRecorded,
  evolve,
  initialState,
  type RecordedFact,
  runStanding,
} from '@stopgo/core';
import { objectBody } from '@stopgo/http';
import { approverNamed, userActor } from '../actor.ts';
import { callMarginMs, cancelReasonBytesMax } from '../bounds.ts';
import type { Frame } from '../frame.ts';
import { idempotencyOf } from '../idempotency.ts';
import { conversationIdOf, conversationNotFound, stepIdOf } from '../path-ids.ts';
import { preferencesOf, waitMsOf } from '../prefer.ts';
import { renderAgentStep } from '../render/agent-step.ts';
import { textMember } from '../request-text.ts';
import { sendJson } from '../respond.ts';
import { answerTurn } from '../turn-answer.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const cancelPath = '/runs/:id/steps/:step/cancel';

/** Steps of the latest run of a conversation, whose id names the run. */
export const stepRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/runs/:id/steps', handle: list(deps) },
  { method: 'POST', path: cancelPath, handle: cancel(deps) },
];

/** Read from the record: what is done is shown as it was. */
const list =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const id = conversationIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
    const steps = new AgentSteps();
    let state: ConversationState = { ...initialState, id };
    for await (const event of eventsOf(deps, frame, id)) {
      steps.add(event);
      state = evolve(state, event);
    }
    const run = state.run === null ? undefined : { id: state.run.id, status: runStanding(state) };
    sendJson(res, 200, { run, steps: steps.of(state).map(renderAgentStep) });
  };

/** All events of a conversation. @throws DomainError `not_found` if there is none of that id. */
async function* eventsOf({ clients }: RouteDependencies, { context }: Frame, id: string): AsyncGenerator<RecordedFact> {
  const stream = conversationStream(id);
  for (let fromRevision = 1; ; ) {
    const { events, headRevision } = await clients.store.readStream({ stream, fromRevision }, { context });
    if (fromRevision === 1 && events.length === 0) throw conversationNotFound(id);
    for (const event of events) yield decodeRecorded(event);
    fromRevision += events.length;
    if (events.length === 0 || fromRevision > headRevision) return;
  }
}

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
