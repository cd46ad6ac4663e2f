import {
  approvalIn,
  bareView,
  byteLength,
  DomainError,
  decidedByOf,
  decidedByText,
  decidedWord,
  decisionOn,
  type EditDecision,
  editCall,
  failedPrecondition,
  fold,
  type HumanDecision,
  type IdempotencyKey,
  isSaidKind,
  isUuid,
  nobodyDecided,
  permissionDenied,
  resolveApproval,
  saidBytesMax,
  textBytesMax,
  voterOf,
} from '@stopgo/core';
import {
  appendedEvents,
  type Command,
  clientKey,
  idempotencyFromWire,
  isUnknown,
  type Loaded,
  recordedOf,
  storeLog,
  type Transacted,
  transact,
} from '@stopgo/log';
import { facts, orchestrator, type views, approvals as wire } from '@stopgo/proto';
import type { CallContext, ServiceImpl } from '@stopgo/rpc';
import { acceptTools } from './accept-tools.ts';
import { actorOf } from './actor.ts';
import { assign } from './assign.ts';
import type { ApprovalsDependencies } from './dependencies.ts';
import { type PreparedEdit, prepareEdit } from './edit.ts';
import { keyOfLink, lookUpLink, makeLink, spentLink } from './links.ts';
import { loadByApproval } from './load.ts';
import { lookFirst, nudge } from './nudge.ts';
import { requireAsked } from './require-asked.ts';
import { grant, revoke } from './standing.ts';

/** The gRPC surface of the approvals service: it records decisions; it never executes anything. */
export function approvalsService(given: ApprovalsDependencies): ServiceImpl<typeof wire.ApprovalsService> {
  return {
    resolve: (request, context) => resolve(given, request, context),
    grantStanding: (request, context) => grant(given, request, context),
    assign: (request, context) => assign(given, request, context),
    revokeStanding: (request, context) => revoke(given, request, context),
    acceptTools: (request, context) => acceptTools(given, request, context),
    makeLink: (request, context) => makeLink(given, request, context),
    lookUpLink: (request, context) => lookUpLink(given, request, context),
  };
}

async function resolve(given: ApprovalsDependencies, request: wire.ResolveRequest, context: CallContext) {
  const ofLink = await keyOfLink(given, request, context);
  const idempotency = ofLink ?? idempotencyFromWire(request.idempotency);
  const done = resolveUnder(given, request, context, idempotency);
  return ofLink === undefined ? done : done.catch((error: unknown) => Promise.reject(spentLink(error)));
}

async function resolveUnder(
  given: ApprovalsDependencies,
  request: wire.ResolveRequest,
  context: CallContext,
  idempotency: IdempotencyKey | undefined,
) {
  const { approvalId } = request;
  if (!isUuid(approvalId)) throw notFound(approvalId);
  const load = (mayLag: boolean): Promise<Loaded> =>
    loadByApproval(given.store, approvalId, idempotency === undefined ? [] : [clientKey(idempotency)], mayLag);
  const decision = decisionOf(request);
  const ports = { ...given, log: storeLog(given.store) };
  let edit: PreparedEdit | undefined;
  const command: Command<Resolved> = {
    actor: actorOf(request),
    ...(idempotency === undefined ? {} : { idempotency }),
    decide: (state) => {
      const said = {
        ...{ approvalId, sessionId: context.sessionId, said: request.said, now: given.clock.now() },
        voter: voterOf(context.principal, actorOf(request)),
        ...(idempotency === undefined ? {} : { idempotency }),
      };
      return edit === undefined
        ? resolveApproval(state, { ...said, decision })
        : editCall(state, { ...said, argumentsJson: edit.argumentsJson }, edit.definitions);
    },
    factsOf: (one) => (one.kind === 'append' ? one.facts : undefined),
  };
  let loaded = await load(true);
  await requireAsked(given, loaded, context, approvalId, notFound);
  if (isRemote(loaded, approvalId)) {
    // What is asked at another agent may be gone: nobody shall decide in vain if that can be told.
    await lookFirst(given, loaded.conversationId, context);
    loaded = await load(false);
  }
  if (request.argumentsJson !== '') {
    // What the call is now is looked at, not what it was.
    loaded = await load(false);
    edit = await prepareEdit(given, loaded, approvalId, request.argumentsJson, context.signal);
  }
  let done = await transact(ports, loaded, command);
  if (done.kind === 'refused') {
    // The log checks an append onto an old state; a refusal by one may be wrong.
    loaded = await load(false);
    done = await transact(ports, loaded, command);
  }
  if (done.kind === 'refused') throw await refusal(given, approvalId, done.decision);
  return { turn: await goOn(given, loaded, done, request, context) };
}

function isRemote({ state }: Loaded, approvalId: string): boolean {
  const approval = approvalIn(state.run, approvalId);
  return approval?.of === 'question' && decisionOn(approval) === undefined;
}

type Resolved = EditDecision;

/** The decision is on the record; the run goes on without us. The orchestrator is told so that it does at once. */
async function goOn(
  given: ApprovalsDependencies,
  loaded: Loaded,
  done: Exclude<Transacted<Resolved>, { kind: 'refused' }>,
  request: wire.ResolveRequest,
  context: CallContext,
) {
  const { conversationId } = loaded;
  const milliseconds = request.wait?.milliseconds ?? 0;
  const minRevision =
    done.kind === 'done' ? done.append.expectedRevision + done.append.facts.length : done.lastRevision;
  const appended = done.kind === 'done' ? appendedEvents(done.append) : [];
  const turn = await nudge(given, { conversationId, minRevision, waitMs: milliseconds, appended }, context);
  if (turn !== undefined) return turn;
  // Losing the nudge is harmless: the sweep finds the run. The caller is told that it goes on.
  return { outcome: orchestrator.TurnOutcome.WORKING, view: await viewAfter(given, conversationId, done) };
}

/** What is recorded stays recorded, whoever is out of reach now: then it is shown as far as it is known here. */
async function viewAfter(
  given: ApprovalsDependencies,
  conversationId: string,
  done: Exclude<Transacted<Resolved>, { kind: 'refused' }>,
): Promise<views.ConversationView> {
  try {
    return await storeLog(given.store).view(conversationId);
  } catch (error) {
    if (!isUnknown(error)) throw error;
    return bareView(done.kind === 'done' ? fold(done.state, recordedOf(done.append)) : done.state);
  }
}

async function refusal(given: ApprovalsDependencies, approvalId: string, decision: Resolved): Promise<DomainError> {
  switch (decision.kind) {
    case 'not_entitled':
      return permissionDenied(`approval ${approvalId}: ${decision.reason}`, { reason: 'not_entitled' });
    case 'uneditable':
      return failedPrecondition(`approval ${approvalId}: its arguments cannot be changed so: ${decision.reason}`, {
        reason: 'edit',
      });
    case 'voted':
      return failedPrecondition(
        `you have said yes to approval ${approvalId} already; it needs ${decision.missing} more from somebody else`,
        { reason: 'voted', missing: String(decision.missing) },
      );
    case 'expired': {
      const at = new Date(decision.at).toISOString();
      return failedPrecondition(`approval ${approvalId}: its time was over at ${at}`, {
        reason: 'expired',
        expired_at: at,
      });
    }
  }
  if (decision.kind === 'choice') {
    const choices = decision.choices.join(', ');
    return new DomainError('failed_precondition', `this approval is decided by one of: ${choices}`, {
      details: { reason: 'choice', choices },
    });
  }
  // The view has it in full, also where the run has been followed by others.
  const approval = await approvalOf(given, approvalId);
  const by = approval.decidedBy;
  const identity = decidedByOf(approval);
  const who = identity === undefined ? by : decidedByText(identity);
  const at =
    approval.decidedAt === undefined
      ? ''
      : new Date(Number(approval.decidedAt.seconds) * 1_000 + approval.decidedAt.nanos / 1e6).toISOString();
  const what = decidedWord(approval.decision);
  if (approval.decision === facts.Decision.EXPIRED)
    return failedPrecondition(`approval ${approvalId} is settled: it expired at ${at}, ${nobodyDecided}`, {
      ...{ reason: 'settled', decision: what, decided_at: at },
    });
  const why = approval.decisionReason === '' ? '' : `: ${approval.decisionReason}`;
  return new DomainError('failed_precondition', `approval ${approvalId} is settled: ${what} by ${who} at ${at}${why}`, {
    details: {
      reason: 'settled',
      decision: what,
      decided_by: by,
      decided_by_claimed: String(identity?.claimed === true),
      decided_at: at,
    },
  });
}

async function approvalOf(given: ApprovalsDependencies, approvalId: string): Promise<views.Approval> {
  const { approval } = await given.store.getApproval({ approvalId });
  if (approval === undefined) throw notFound(approvalId);
  return approval;
}

function notFound(approvalId: string): DomainError {
  return new DomainError('not_found', `no conversation found with approval UUID: ${approvalId}`);
}

function decisionOf(request: wire.ResolveRequest): HumanDecision {
  if (byteLength(request.result) > textBytesMax)
    throw new DomainError('invalid_argument', `the result is longer than ${textBytesMax} bytes`);
  if (byteLength(request.said) > saidBytesMax)
    throw new DomainError('invalid_argument', `what is said to an approval has at most ${saidBytesMax} bytes`);
  const isEdit = request.kind === wire.DecisionKind.EDIT;
  if (isEdit !== (request.argumentsJson !== ''))
    throw new DomainError('invalid_argument', 'arguments go with an edit, and an edit has arguments');
  const kind = isEdit ? wire.DecisionKind.APPROVE : saidIn(request);
  if (!isSaidKind(kind)) throw new DomainError('invalid_argument', 'the decision is none that a person can take');
  return { kind, result: request.result };
}

/** A gateway of the release before says it in another field, under the same numbers. */
const saidIn = ({ kind, decision }: wire.ResolveRequest): number =>
  kind === wire.DecisionKind.UNSPECIFIED ? decision : kind;
