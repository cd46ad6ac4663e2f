/** What people do to a run that goes on, over gRPC. */
import {
  type CancelStepDecision,
  cancelStep,
  DomainError,
  type Fact,
  isUuid,
  notFound,
  parkedTasks,
  quotedName,
  requireReach,
} from '@stopgo/core';
import { clientKey, idempotencyFromWire, recordedOf, transact } from '@stopgo/log';
import type { orchestrator as wire } from '@stopgo/proto';
import type { CallContext, ServiceImpl } from '@stopgo/rpc';
import { actorOf } from './caller.ts';
import type { TaskWatch } from './driver/delegations/task-watch.ts';
import type { Registry } from './driver/run/registry.ts';
import type { Turn, Turns } from './turns.ts';

type Parts = { readonly registry: Registry; readonly watch: TaskWatch };

/** The calls that control runs. */
export function controlService(
  parts: Parts,
  turns: Turns,
): Pick<ServiceImpl<typeof wire.OrchestratorService>, 'cancelStep'> {
  return {
    cancelStep: async (request, context) => ({ turn: await cancel(parts, turns, request, context) }),
  };
}

async function cancel(
  { registry, watch }: Parts,
  turns: Turns,
  request: wire.CancelStepRequest,
  context: CallContext,
): Promise<Turn> {
  const { conversationId, stepId, reason } = request;
  if (!isUuid(conversationId)) throw notFound(`conversation not found: ${conversationId}`);
  const idempotency = idempotencyFromWire(request.idempotency);
  const keyed = idempotency === undefined ? {} : { idempotency };
  const loaded = await registry.load(conversationId, idempotency === undefined ? [] : [clientKey(idempotency)]);
  requireReach(context.principal, 'step.cancel', loaded.state);
  const actor = actorOf(request.caller);
  const by = actor.claimed === true || actor.principal !== undefined ? actor.id : '';
  const done = await transact(registry.ports, loaded, {
    actor,
    ...keyed,
    decide: (state) => cancelStep(state, { stepId, by, reason, ...keyed }),
    factsOf: (decision: CancelStepDecision): readonly Fact[] | undefined =>
      decision.kind === 'append' ? decision.facts : undefined,
  });
  if (done.kind === 'refused') throw refusal(conversationId, stepId, done.decision);
  const waitMs = request.wait?.milliseconds ?? 0;
  if (done.kind === 'repeated') return turns.ofPast(done.state, done.firstRevision, done.lastRevision, waitMs);
  const made = recordedOf(done.append);
  await registry.resume(conversationId, context.bearerToken, made);
  const driver = registry.driver(conversationId);
  await driver?.reached(made.at(-1)?.revision ?? 0);
  const state = driver?.state ?? (await registry.load(conversationId)).state;
  // What waits at other agents is ended there, too; should that fail, the watch goes on trying.
  if (parkedTasks(state).length > 0) void watch.ended(conversationId).catch(() => undefined);
  return driver === undefined ? turns.ofState(state, waitMs) : turns.ofDriver(driver, waitMs);
}

function refusal(conversationId: string, stepId: string, decision: CancelStepDecision): DomainError {
  const step = `the step ${quotedName(stepId)}`;
  switch (decision.kind) {
    case 'no_run':
      return noOpenRun(conversationId, decision.status);
    case 'over':
      return precondition(`${step} of conversation ${conversationId} has ended; there is nothing to cancel`, {
        reason: 'over',
      });
    default:
      return notFound(`the run of conversation ${conversationId} has no step ${quotedName(stepId)} that goes on`, {
        reason: 'no_step',
      });
  }
}

/** That a conversation has no run that goes on, in the words of a cancel. */
function noOpenRun(conversationId: string, status: 'none' | 'completed' | 'failed' | 'canceled'): DomainError {
  if (status === 'none') return precondition(`conversation ${conversationId} has no run`, { reason: 'no_run', status });
  const how = status === 'canceled' ? 'was canceled' : `has ${status}`;
  return precondition(`the run of conversation ${conversationId} ${how}; it does not go on`, {
    reason: 'settled',
    status,
  });
}

const precondition = (message: string, details: Record<string, string>): DomainError =>
  new DomainError('failed_precondition', message, { details });
