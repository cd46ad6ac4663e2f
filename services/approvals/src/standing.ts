import { DomainError, grantStanding, isUuid, notFound, requireReach, revokeStanding } from '@stopgo/core';
import {
  type Command,
  clientKey,
  idempotencyFromWire,
  type Loaded,
  storeLog,
  type Transacted,
  transact,
} from '@stopgo/log';
import type { views, approvals as wire } from '@stopgo/proto';
import type { CallContext } from '@stopgo/rpc';
import { actorOf } from './actor.ts';
import type { ApprovalsDependencies } from './dependencies.ts';
import { loadByApproval } from './load.ts';

/** Records that the like of a call runs without asking. */
export async function grant(
  given: ApprovalsDependencies,
  request: wire.GrantStandingRequest,
  context: CallContext,
): Promise<{ readonly view: views.ConversationView }> {
  const { approvalId, sameArguments } = request;
  if (!isUuid(approvalId)) throw notFound(`no conversation found with approval UUID: ${approvalId}`);
  const idempotency = idempotencyFromWire(request.idempotency);
  const keys = idempotency === undefined ? [] : [clientKey(idempotency)];
  const decide = (state: Loaded['state']) => {
    requireReach(context.principal, 'approval.resolve', state);
    return grantStanding(state, {
      ...{ approvalId, callArguments: sameArguments ? 'same' : 'any', sessionId: context.sessionId },
      ...(idempotency === undefined ? {} : { idempotency }),
    });
  };
  const command = {
    actor: actorOf(request),
    ...(idempotency === undefined ? {} : { idempotency }),
    decide,
    factsOf: (one: ReturnType<typeof decide>) => (one.kind === 'append' ? one.facts : undefined),
  };
  const { loaded, done } = await decided(
    given,
    (mayLag) => loadByApproval(given.store, approvalId, keys, mayLag),
    command,
  );
  if (done.kind === 'refused') {
    const refused = done.decision;
    if (refused.kind === 'past') throw past(approvalId);
    if (refused.kind === 'demanded') throw demanded(approvalId);
    if (refused.kind === 'full') throw full(refused.most);
  }
  return { view: await storeLog(given.store).view(loaded.conversationId) };
}

/** Records that it does not any more. */
export async function revoke(
  given: ApprovalsDependencies,
  request: wire.RevokeStandingRequest,
  context: CallContext,
): Promise<{ readonly view: views.ConversationView }> {
  const { conversationId, standingId } = request;
  const idempotency = idempotencyFromWire(request.idempotency);
  const keys = idempotency === undefined ? [] : [clientKey(idempotency)];
  const decide = (state: Loaded['state']) => {
    requireReach(context.principal, 'approval.resolve', state);
    return revokeStanding(state, {
      ...{ standingId, sessionId: context.sessionId },
      ...(idempotency === undefined ? {} : { idempotency }),
    });
  };
  const command = {
    actor: actorOf(request),
    ...(idempotency === undefined ? {} : { idempotency }),
    decide,
    factsOf: (one: ReturnType<typeof decide>) => (one.kind === 'append' ? one.facts : undefined),
  };
  const load = () => storeLog(given.store).load(conversationId, keys);
  const { done } = await decided(given, load, command);
  if (done.kind === 'refused')
    throw notFound(`conversation ${conversationId} has no standing approval ${standingId}, or not any more`);
  return { view: await storeLog(given.store).view(conversationId) };
}

/** The log checks an append onto an old state; a refusal by one may be wrong, and is asked for again. */
async function decided<Decision extends { readonly kind: string }>(
  given: ApprovalsDependencies,
  load: (mayLag: boolean) => Promise<Loaded>,
  command: Command<Decision>,
): Promise<{ readonly loaded: Loaded; readonly done: Transacted<Decision> }> {
  const ports = { ...given, log: storeLog(given.store) };
  const first = await load(true);
  const done = await transact(ports, first, command);
  if (done.kind !== 'refused') return { loaded: first, done };
  const loaded = await load(false);
  return { loaded, done: await transact(ports, loaded, command) };
}

function past(approvalId: string): DomainError {
  const what = `approval ${approvalId} is not of a call that the run may still make`;
  return new DomainError('failed_precondition', `${what}: the like of it can be approved while its run goes on`, {
    details: { reason: 'past' },
  });
}

function demanded(approvalId: string): DomainError {
  const what = `a rule says who decides approval ${approvalId}, and calls like it`;
  return new DomainError('failed_precondition', `${what}: each is decided by them`, {
    details: { reason: 'demanded' },
  });
}

function full(most: number): DomainError {
  return new DomainError('failed_precondition', `the conversation has ${most} standing approvals, which is the most`, {
    details: { reason: 'full' },
  });
}
