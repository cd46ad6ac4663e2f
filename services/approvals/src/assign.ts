import {
  anonymous,
  assignApproval,
  checkEmail,
  DomainError,
  failedPrecondition,
  invalidArgument,
  isUuid,
  nobodyDecided,
  type Principal,
  permissionDenied,
  reachOf,
  roleFromWire,
  userIdOf,
  voterOf,
} from '@stopgo/core';
import { type Command, clientKey, idempotencyFromWire, type Loaded, storeLog, transact } from '@stopgo/log';
import type { views, approvals as wire } from '@stopgo/proto';
import type { CallContext } from '@stopgo/rpc';
import { actorOf } from './actor.ts';
import type { ApprovalsDependencies } from './dependencies.ts';
import { loadByApproval } from './load.ts';
import { requireAsked } from './require-asked.ts';

/** Longest name that somebody who is not signed in is assigned under, in characters. */
const nameCharactersMax = 128;

/** Records who is to look at an approval. */
export async function assign(
  given: ApprovalsDependencies,
  request: wire.AssignRequest,
  context: CallContext,
): Promise<{ readonly approval: views.Approval }> {
  const { approvalId } = request;
  if (!isUuid(approvalId)) throw notFound(approvalId);
  const idempotency = idempotencyFromWire(request.idempotency);
  const actor = actorOf(request);
  const by = { principal: context.principal, voter: voterOf(context.principal, actor) };
  const load = (mayLag: boolean): Promise<Loaded> =>
    loadByApproval(given.store, approvalId, idempotency === undefined ? [] : [clientKey(idempotency)], mayLag);
  // Who may not see it is told of no user either.
  await requireAsked(given, await load(true), context, approvalId, notFound);
  const to = await assigneeOf(given, request, by);
  const command: Command<AssignDecision> = {
    actor,
    ...(idempotency === undefined ? {} : { idempotency }),
    decide: (state) =>
      assignApproval(state, {
        ...{ approvalId, to, by, now: given.clock.now(), sessionId: context.sessionId },
        ...(idempotency === undefined ? {} : { idempotency }),
      }),
    factsOf: (one) => (one.kind === 'append' ? one.facts : undefined),
  };
  // The log checks an append onto an old state; a refusal by one may be wrong, so it is decided by what is.
  const done = await transact({ ...given, log: storeLog(given.store) }, await load(false), command);
  if (done.kind === 'refused') {
    const refused = refusal(approvalId, forThem(done.decision, to, by));
    if (refused !== undefined) throw refused;
  }
  const { approval } = await given.store.getApproval({ approvalId });
  if (approval === undefined) throw notFound(approvalId);
  return { approval };
}

type Somebody = { readonly principal: Principal; readonly voter: ReturnType<typeof voterOf> };
type AssignDecision = ReturnType<typeof assignApproval>;
type Assignee = Parameters<typeof assignApproval>[1]['to'];

/** What whoever assigns may know of it: to those who may not list people, one who is not there is one who may not decide. */
function forThem(decision: AssignDecision, to: Assignee, by: Somebody): AssignDecision {
  if (decision.kind !== 'assignee' || to === undefined || to === by) return decision;
  if (reachOf(by.principal, 'user.list') === 'all') return decision;
  const email = 'unknown' in to ? to.unknown : to.voter.name;
  return { kind: 'assignee', reason: `nobody who may decide it has the address ${email}` };
}

/** Who is meant, as the record has them; undefined: nobody in particular. */
async function assigneeOf(given: ApprovalsDependencies, { to }: wire.AssignRequest, by: Somebody): Promise<Assignee> {
  switch (to.case) {
    case 'nobody':
      return undefined;
    case 'self':
      if (by.voter.key === '')
        throw invalidArgument(
          'it is to be assigned to you, and nobody knows who you are: send your name in X-Approver',
        );
      return by;
    case 'name':
      return by.principal.kind === 'user' ? userNamed(given, to.value) : claimed(to.value);
    case undefined:
      throw invalidArgument('say to whom it is assigned, or that it is to nobody');
  }
}

function claimed(name: string): Somebody {
  const id = name.trim();
  if (id === '' || [...id].length > nameCharactersMax)
    throw invalidArgument(`a name has 1 to ${nameCharactersMax} characters`);
  return { principal: anonymous, voter: voterOf(anonymous, { id, claimed: true }) };
}

/** With the groups that their last recorded sign-in named. */
async function userNamed({ store }: ApprovalsDependencies, name: string): Promise<Assignee> {
  const email = checkEmail(name);
  const { user } = await store.getPerson({ by: { case: 'userId', value: userIdOf(email) } });
  if (user?.active !== true) return { unknown: email };
  const { id, groups } = user;
  const role = roleFromWire(user.role);
  const principal: Principal = { kind: 'user', id, email: user.email, name: user.name, role, groups, via: 'token' };
  return { principal, voter: voterOf(principal, { id: '' }) };
}

function refusal(approvalId: string, decision: AssignDecision): DomainError | undefined {
  switch (decision.kind) {
    case 'append':
    case 'already':
      return undefined;
    case 'not_entitled':
      return permissionDenied(`approval ${approvalId} is assigned by who may decide it: ${decision.reason}`, {
        reason: 'not_entitled',
      });
    case 'assignee':
      return notAssigned(approvalId, decision.reason);
    case 'settled': {
      const { kind, by } = decision.decision;
      const isExpired = kind === 'expired';
      const how = isExpired ? `it expired, ${nobodyDecided}` : `${kind} by ${by}`;
      return failedPrecondition(`approval ${approvalId} is settled: ${how}; it is assigned to nobody any more`, {
        ...{ reason: 'settled', decision: kind },
        ...(isExpired ? {} : { decided_by: by }),
      });
    }
    case 'past':
      return failedPrecondition(`approval ${approvalId} does not wait any more`, { reason: 'settled' });
  }
}

const notAssigned = (approvalId: string, reason: string): DomainError =>
  failedPrecondition(`approval ${approvalId} is not assigned so: ${reason}`, { reason: 'assignee' });

const notFound = (approvalId: string): DomainError =>
  new DomainError('not_found', `no conversation found with approval UUID: ${approvalId}`);
