import { cancelRun, DomainError, isUuid, notFound, parkedTasks, requireReach } from '@stopgo/core';
import { clientKey, idempotencyFromWire, transact } from '@stopgo/log';
import { orchestrator as wire } from '@stopgo/proto';
import type { CallContext } from '@stopgo/rpc';
import { actorOf } from './caller.ts';
import type { TaskWatch } from './driver/delegations/task-watch.ts';
import type { Registry } from './driver/run/registry.ts';
import type { Turn, Turns } from './turns.ts';

type Parts = { readonly registry: Registry; readonly watch: TaskWatch };

/**
 * Ends the run of a conversation, and what of it waits at other agents.
 *
 * @throws DomainError `not_found`, or `failed_precondition` where there is nothing to cancel.
 */
export async function cancel(
  { registry, watch }: Parts,
  turns: Turns,
  request: wire.CancelRunRequest,
  { principal }: CallContext,
): Promise<Turn> {
  const { conversationId, reason } = request;
  if (!isUuid(conversationId)) throw notFound(`conversation not found: ${conversationId}`);
  const idempotency = idempotencyFromWire(request.idempotency);
  const keyed = idempotency === undefined ? {} : { idempotency };
  const loaded = await registry.load(conversationId, idempotency === undefined ? [] : [clientKey(idempotency)]);
  requireReach(principal, 'run.cancel', loaded.state);
  const done = await transact(registry.ports, loaded, {
    actor: actorOf(request.caller),
    ...keyed,
    wantsView: true,
    looks: true,
    decide: (state) => cancelRun(state, { reason, ...keyed }),
    factsOf: (decision) => ('facts' in decision ? decision.facts : undefined),
  });
  registry.driver(conversationId)?.poke();
  // What waits at other agents is ended there, too; should that fail, the watch goes on trying.
  if (parkedTasks(done.state).length > 0) void watch.ended(conversationId).catch(() => undefined);
  if (done.kind === 'repeated') return turns.ofPast(done.state, done.firstRevision, done.lastRevision, 0);
  if (done.kind === 'done' && done.view !== undefined) return { outcome: wire.TurnOutcome.SETTLED, view: done.view };
  if (done.kind === 'refused' && done.decision.kind === 'settled')
    throw nothingToCancel(conversationId, done.decision.status);
  return turns.now(conversationId);
}

function nothingToCancel(conversationId: string, status: 'none' | 'completed' | 'failed'): DomainError {
  const details = { reason: status === 'none' ? 'no_run' : 'settled', status };
  const message =
    status === 'none'
      ? `conversation ${conversationId} has no run to cancel`
      : `the run of conversation ${conversationId} has ${status}; there is nothing to cancel`;
  return new DomainError('failed_precondition', message, { details });
}
