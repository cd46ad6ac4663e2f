import {
  AgentSteps,
  type ConversationState,
  decodeRecorded,
  decodeSnapshot,
  fold,
  initialState,
  type RecordedFact,
  runStanding,
} from '@stopgo/core';
import { explained } from '../api/run-request.ts';
import type { Frame } from '../frame.ts';
import { conversationIdOf, conversationNotFound, orNotFound } from '../path-ids.ts';
import { recordedEvents } from '../recorded-events.ts';
import { renderAgentStep } from '../render/agent-step.ts';
import { sendJson } from '../respond.ts';
import { type Control, controls } from './control.ts';
import { type Handler, permit, type Route, type RouteDependencies } from './route.ts';

const cancel: Control = {
  path: '/runs/:id/steps/:step/cancel',
  action: 'step.cancel',
  body: explained,
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

/** Read from the record, the events of the run alone: what is done is shown as it was. */
const list =
  (deps: RouteDependencies): Handler =>
  async (req, res, frame) => {
    const id = conversationIdOf(req);
    frame.conversationId = id;
    await permit(deps, frame, 'conversation.read', { kind: 'conversation', id });
    const state = await stateOf(deps, frame, id);
    const steps = new AgentSteps(state);
    if (state.run !== null)
      for (const event of await eventsOf(deps, frame, state, state.run.messageRevision)) steps.add(event);
    const run = state.run === null ? undefined : { id: state.run.id, status: runStanding(state) };
    sendJson(res, 200, { run, steps: steps.list().map(renderAgentStep) });
  };

/** The conversation as it stands. @throws DomainError `not_found` if there is none of that id. */
async function stateOf(deps: RouteDependencies, frame: Frame, id: string): Promise<ConversationState> {
  const by = { case: 'conversationId', value: id } as const;
  const call = deps.clients.store.load({ by }, { context: frame.context });
  const { snapshot, foldVersion, revision } = await orNotFound(call, () => conversationNotFound(id));
  const state = decodeSnapshot(snapshot, foldVersion);
  if (state !== undefined) return state;
  // A store of another version: the events are the truth.
  const before: ConversationState = { ...initialState, id, revision };
  return fold(initialState, await eventsOf(deps, frame, before, 1));
}

/** The events of a conversation from a revision on, up to that of a state. */
async function eventsOf(
  { clients }: RouteDependencies,
  { context }: Frame,
  { id, revision }: ConversationState,
  from: number,
): Promise<readonly RecordedFact[]> {
  const read: RecordedFact[] = [];
  for await (const page of recordedEvents(clients.store, { id, from, to: revision }, { context }))
    read.push(...page.map(decodeRecorded));
  return read;
}
