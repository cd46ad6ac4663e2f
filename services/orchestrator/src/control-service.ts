/** What people do to a run that goes on, over gRPC. */
import {
  type Action,
  type ConversationState,
  cancelStep,
  DomainError,
  type Fact,
  type IdempotencyKey,
  isUuid,
  notFound,
  pauseRun,
  permissionDenied,
  quotedName,
  type ResumeDecision,
  reachOf,
  requireReach,
  resumeRun,
} from '@stopgo/core';
import { clientKey, idempotencyFromWire, recordedOf, transact } from '@stopgo/log';
import type { orchestrator as wire } from '@stopgo/proto';
import type { CallContext, ServiceImpl } from '@stopgo/rpc';
import { actorOf } from './caller.ts';
import type { TaskWatch } from './driver/delegations/task-watch.ts';
import type { Registry } from './driver/run/registry.ts';
import { handedOn } from './handed-on.ts';
import { limitsRefused, newLimitsOf } from './new-limits.ts';
import type { Turn, Turns } from './turns.ts';

type CancelStepDecision = ReturnType<typeof cancelStep>;
type PaceDecision = ReturnType<typeof pauseRun> | ResumeDecision;

type Parts = { readonly registry: Registry; readonly watch: TaskWatch };

/** The calls that control runs. */
export function controlService(
  parts: Parts,
  turns: Turns,
): Pick<ServiceImpl<typeof wire.OrchestratorService>, 'cancelStep' | 'pauseRun' | 'unpauseRun'> {
  return {
    cancelStep: async (request, context) => ({ turn: await cancel(parts, turns, request, context) }),
    pauseRun: async (request, context) => ({
      turn: await control(parts, turns, request, context, {
        action: 'run.pause',
        waitMs: 0,
        decide: (state, who) => pauseRun(state, { ...who, reason: request.reason }),
      }),
    }),
    unpauseRun: async (request, context) => ({
      turn: await control(parts, turns, request, context, {
        action: 'run.resume',
        waitMs: request.wait?.milliseconds ?? 0,
        decide: (state, who) => {
          if (state.run?.paused?.limitStepId !== undefined) requireApproval(context);
          return resumeRun(state, { ...who, limits: newLimitsOf(request.limits) });
        },
      }),
    }),
  };
}

/** Whoever lets an agent use as much again decides what a limit has stopped, as on an approval. */
function requireApproval({ principal }: CallContext): void {
  if (reachOf(principal, 'approval.resolve') !== 'none') return;
  throw permissionDenied(
    'an agent has used what it may, and to resume the run lets it use more: that needs the scope approve',
  );
}

type Control<D extends { readonly kind: string }> = {
  readonly action: Action;
  /** How long the answer waits for what the run comes to, in milliseconds. */
  readonly waitMs: number;
  readonly decide: (state: ConversationState, who: Who) => D;
};

/** Who controls a run, and the key of their request. */
type Who = { readonly by: string; readonly idempotency?: IdempotencyKey };

async function cancel(
  parts: Parts,
  turns: Turns,
  request: wire.CancelStepRequest,
  context: CallContext,
): Promise<Turn> {
  const { conversationId, stepId, reason } = request;
  const turn = await control<CancelStepDecision>(parts, turns, request, context, {
    action: 'step.cancel',
    waitMs: request.wait?.milliseconds ?? 0,
    decide: (state, who) => cancelStep(state, { ...who, stepId, reason }),
  });
  // What waits at other agents is ended there, too; should that fail, the watch goes on trying.
  void parts.watch.ended(conversationId).catch(() => undefined);
  return turn;
}

/**
 * Puts on the record what somebody does to a run, and has it driven as far as it goes.
 *
 * @throws DomainError `not_found`, or `failed_precondition` with what is in the way.
 */
async function control<D extends CancelStepDecision | PaceDecision>(
  { registry }: Parts,
  turns: Turns,
  request: Pick<wire.CancelStepRequest, 'conversationId' | 'caller' | 'idempotency'> & { readonly stepId?: string },
  context: CallContext,
  { action, waitMs, decide }: Control<D>,
): Promise<Turn> {
  const { conversationId, stepId = '' } = request;
  if (!isUuid(conversationId)) throw notFound(`conversation not found: ${conversationId}`);
  const idempotency = idempotencyFromWire(request.idempotency);
  const keyed = idempotency === undefined ? {} : { idempotency };
  const loaded = await registry.load(conversationId, idempotency === undefined ? [] : [clientKey(idempotency)]);
  requireReach(context.principal, action, loaded.state);
  const actor = actorOf(request.caller);
  const by = actor.claimed === true || actor.principal !== undefined ? actor.id : '';
  const command = {
    actor,
    ...keyed,
    looks: true,
    decide: (state: ConversationState) => decide(state, { by, ...keyed }),
    factsOf: (decision: D): readonly Fact[] | undefined => ('facts' in decision ? decision.facts : undefined),
  };
  const done = await transact(registry.ports, loaded, command);
  if (done.kind === 'refused' && done.decision.kind !== 'already') throw refusal(conversationId, stepId, done.decision);
  if (done.kind === 'repeated') return turns.ofPast(done.state, done.firstRevision, done.lastRevision, waitMs);
  const made = done.kind === 'done' ? recordedOf(done.append) : [];
  await registry.resume(conversationId, handedOn(context, loaded.state), made);
  const driver = registry.driver(conversationId);
  await driver?.reached(made.at(-1)?.revision ?? 0);
  const state = driver?.state ?? (await registry.load(conversationId)).state;
  return driver === undefined ? turns.ofState(state, waitMs) : turns.ofDriver(driver, waitMs);
}

function refusal(conversationId: string, stepId: string, decision: CancelStepDecision | PaceDecision): DomainError {
  const step = `the step ${quotedName(stepId)}`;
  switch (decision.kind) {
    case 'no_run':
      return noOpenRun(conversationId, decision.status);
    case 'over':
      return precondition(`${step} of conversation ${conversationId} has ended; there is nothing to cancel`, {
        reason: 'over',
      });
    case 'not_at_limit':
    case 'beyond':
    case 'used_up':
      return limitsRefused(conversationId, decision);
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
