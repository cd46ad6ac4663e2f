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
import type { Frame } from '../frame.ts';
import { conversationIdOf, conversationNotFound } from '../path-ids.ts';
import { renderAgentStep } from '../render/agent-step.ts';
import { sendJson } from '../respond.ts';
import { type Control, controls } from './control.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const cancel: Control = {
  path: '/runs/:id/steps/:step/cancel',
  action: 'step.cancel',
  isExplained: true,
  isOfStep: true,
  waits: true,
  ask: (orchestrator, asked, { reason, stepId }, options) =>
    orchestrator.cancelStep({ ...asked, reason, stepId }, options),
};

/** Steps of the latest run of a conversation, whose id names the run. */
export const stepRoutes = (deps: RouteDependencies): readonly Route[] => [
  { method: 'GET', path: '/runs/:id/steps', handle: list(deps) },
  { method: 'POST', path: cancel.path, handle: controls(deps, cancel) },
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
