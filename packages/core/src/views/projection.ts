import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { create, facts, views } from '@stopgo/proto';
import { type Decided, decidedWord } from '../events/decisions.ts';
import type { FactOf, OtherStreamFact, RecordedFact } from '../events/facts.ts';
import { isWithin } from '../interrupts/below-step.ts';
import { nextDue } from '../interrupts/due.ts';
import { evolveResolved, isPending, resultDigest } from '../interrupts/kinds/approval.ts';
import { evolve } from '../run/evolve.ts';
import { limitUseToWire } from '../state/given-limits.ts';
import { interruptsOf } from '../state/interrupt.ts';
import type { ConversationState, RunState } from '../state/state.ts';
import { spentToWire } from '../state/usage.ts';
import { pendingApprovals, runStanding } from '../state/work.ts';
import { textBytesMax } from '../text/bounds.ts';
import { cutText } from '../text/cut.ts';
import { agentChain } from './agent-chain.ts';
import { assigned, notified } from './approval-changes.ts';
import { messagesOf, textOf } from './message-views.ts';
import { pendingInputs } from './pending-inputs.ts';
import { pipelineView } from './pipeline-view.ts';

/** What a projection asks of the rows that earlier events left. Both answer undefined for what is not there. */
export type EarlierRows = {
  /** The messages made from the event of this revision, in order. */
  messagesAt(revision: number): readonly views.Message[];
  approval(id: string): views.Approval | undefined;
};

/** The rows that an append changes in the views of its conversation. */
export type ProjectedRows = {
  readonly state: ConversationState;
  readonly head: views.ConversationHead;
  /** To be added. */
  readonly messages: readonly views.Message[];
  /** To be added or replaced, by id. */
  readonly approvals: readonly views.Approval[];
};

/** The rows after some more events of a conversation: a function of the state, the events and the earlier rows. */
export function project(
  before: ConversationState,
  events: readonly RecordedFact[],
  earlier: EarlierRows,
): ProjectedRows {
  const messages: views.Message[] = [];
  const approvals = new Map<string, views.Approval>();
  const rows: EarlierRows = {
    messagesAt: (revision) =>
      revision > before.revision ? messages.filter((one) => one.revision === revision) : earlier.messagesAt(revision),
    approval: (id) => approvals.get(id) ?? earlier.approval(id),
  };
  let state = before;
  for (const event of events) {
    messages.push(...messagesOf(event, state, rows));
    for (const approval of approvalsOf(event, state, rows)) approvals.set(approval.id, approval);
    state = evolve(state, event);
  }
  return { state, head: headOf(state, rows), messages, approvals: [...approvals.values()] };
}

/**
 * The view of a conversation as far as its state alone tells: without the texts of answers and of what waits for a human,
 * for when nobody can be asked for them.
 */
export function bareView(state: ConversationState): views.ConversationView {
  const head = headOf(state, { messagesAt: () => [], approval: () => undefined });
  return create(views.ConversationViewSchema, { head });
}

/** Facts that change no approval. */
type NotOfApprovals =
  | 'callEdited'
  | OtherStreamFact
  | 'conversationCreated'
  | 'userMessageReceived'
  | 'runStarted'
  | 'runClaimed'
  | 'runReleased'
  | 'stepStarted'
  | 'modelResponded'
  | 'modelFailed'
  | 'inputRequested'
  | 'inputProvided'
  | 'toolCallStarted'
  | 'toolCallFinished'
  | 'toolCallInDoubt'
  | 'delegationStarted'
  | 'delegationUpdated'
  | 'stateSet'
  | 'runDataWritten'
  | 'runDataDeleted'
  | 'stepFinished'
  | 'delegationRequested'
  | 'delegationAnswered'
  | 'inputWithdrawn'
  | 'modelAnsweredNothing'
  | 'agentCalled'
  | 'agentReturned'
  | 'stepReminded'
  | 'runPaused'
  | 'runResumed'
  | 'standingApprovalGranted'
  | 'standingApprovalRevoked';

function approvalsOf(event: RecordedFact, before: ConversationState, rows: EarlierRows): views.Approval[] {
  const { fact } = event;
  switch (fact.case) {
    case 'approvalRequested':
      return [
        ...replaced(fact.value, before, rows),
        ...replacedByEdit(fact.value, rows),
        requested(fact.value, event, before, rows),
      ];
    case 'approvalResolved': {
      const { approvalId } = fact.value;
      const pending = rows.approval(approvalId);
      if (pending === undefined || pending.status !== views.ApprovalStatus.PENDING) return [];
      // Recorded by an older program, before all have said so that the approval demands.
      if (pending.demand !== undefined && isStillPending(before, fact.value, event))
        return withPending(rows, approvalId, (one) => voted(one, fact.value, event));
      return [decided(pending, fact.value, event)];
    }
    case 'approvalVoted':
      return withPending(rows, fact.value.approvalId, (pending) => voted(pending, fact.value, event));
    case 'approvalAssigned':
      return withPending(rows, fact.value.approvalId, () => assigned(fact.value, event));
    case 'approvalReminded':
      return withPending(rows, fact.value.approvalId, () => ({ reminders: fact.value.number }));
    case 'approvalEscalated': {
      const { approvalId, number, notify } = fact.value;
      return withPending(rows, approvalId, (pending) => ({
        escalations: number,
        notify: notified(pending.notify, notify, event.revision),
      }));
    }
    case 'toolCallRefused': {
      if (fact.value.reason !== facts.RefusalReason.PIN_CHANGED) return [];
      // Call ids are positions: the same in every run.
      if (before.run?.id !== fact.value.runId) return [];
      const approvalId = before.run.calls[fact.value.callId]?.approvalId;
      const approval = approvalId === undefined ? undefined : rows.approval(approvalId);
      return approval === undefined ? [] : [create(views.ApprovalSchema, { ...approval, void: true })];
    }
    case 'delegationAsked':
    case 'delegationFinished':
      return undelivered(event, before, rows);
    case 'stepCanceled': {
      const { runId, stepId } = fact.value;
      return leftPending(before, runId, event, rows, stepId);
    }
    case 'runCompleted':
    case 'runFailed':
    case 'runCanceled':
      return leftPending(before, fact.value.runId, event, rows);
    default:
      fact.case satisfies NotOfApprovals;
      return [];
  }
}

/**
 * A decision on a question of another agent that had gone before it got there, or that the agent has not taken: it stays as it
 * was decided, and did nothing.
 */
function undelivered(event: RecordedFact, before: ConversationState, rows: EarlierRows): views.Approval[] {
  const { fact } = event;
  if (fact.case !== 'delegationAsked' && fact.case !== 'delegationFinished') return [];
  const { runId, callId, attempt } = fact.value;
  const call = before.run?.id === runId ? before.run.calls[callId] : undefined;
  if (call?.attempt !== attempt) return [];
  const asked = fact.case === 'delegationAsked' ? fact.value : undefined;
  const lost = (call.sent?.questions ?? []).filter(({ key, verdict, messageId }) =>
    messageId === undefined ? verdict !== undefined && !asked?.keys.includes(key) : asked?.notTaken.includes(key),
  );
  return lost.flatMap(({ askedAs }) => voided(askedAs, rows));
}

/** A decision on what the agent shows otherwise by now: it is asked about anew, and the decision did nothing. */
function replaced(asked: FactOf<'approvalRequested'>, { run }: ConversationState, rows: EarlierRows): views.Approval[] {
  const { runId, callId, question } = asked;
  const known = run?.id === runId ? run.calls[callId]?.sent?.questions : undefined;
  const old = known?.find(({ key, verdict, messageId }) => key === question?.key && verdict && messageId === undefined);
  return old === undefined ? [] : voided(old.askedAs, rows);
}

/** What was asked for before the arguments were changed says where it is decided now. */
function replacedByEdit({ approvalId, edit }: FactOf<'approvalRequested'>, rows: EarlierRows): views.Approval[] {
  const old = edit && rows.approval(edit.replaces);
  return old === undefined ? [] : [create(views.ApprovalSchema, { ...old, replacedBy: approvalId })];
}

function voided(approvalId: string, rows: EarlierRows): views.Approval[] {
  const approval = rows.approval(approvalId);
  return approval === undefined ? [] : [create(views.ApprovalSchema, { ...approval, void: true })];
}

/** What was still pending when its run settled, or its step was ended, is withdrawn by that. */
function leftPending(
  before: ConversationState,
  runId: string,
  event: RecordedFact,
  rows: EarlierRows,
  stepId?: string,
) {
  if (before.run?.id !== runId) return [];
  return pendingApprovals(before.run).flatMap((id) => {
    const pending = rows.approval(id);
    if (pending === undefined || (stepId !== undefined && !isWithin(pending.stepId, stepId))) return [];
    return [decided(pending, withdrawnByEnd, event)];
  });
}

const withdrawnByEnd = create(facts.ApprovalResolvedSchema, { decision: facts.Decision.WITHDRAWN });

/** A pending approval with what an event changes of it. */
function withPending(
  rows: EarlierRows,
  id: string,
  change: (
    pending: views.Approval,
  ) => Partial<Pick<views.Approval, 'votes' | 'reminders' | 'escalations' | 'notify' | 'assignment'>>,
): views.Approval[] {
  const pending = rows.approval(id);
  if (pending === undefined || pending.status !== views.ApprovalStatus.PENDING) return [];
  return [create(views.ApprovalSchema, { ...pending, ...change(pending) })];
}

function isStillPending(
  { run }: ConversationState,
  resolved: FactOf<'approvalResolved'>,
  event: RecordedFact,
): boolean {
  return run?.id === resolved.runId && isPending(evolveResolved(run, resolved, event), resolved.approvalId);
}

/** The votes of an approval with one more, where it is recorded who voted. */
function voted(
  { votes, demand }: views.Approval,
  said: FactOf<'approvalVoted'> | FactOf<'approvalResolved'>,
  { time }: RecordedFact,
): Pick<views.Approval, 'votes'> {
  const { decision, voter } = said;
  if (voter === undefined) return { votes };
  const digest = (demand?.votes ?? 0) > 1 ? resultDigest(said) : '';
  const vote = create(views.ApprovalVoteSchema, { decision, voter, resultDigest: digest, at: timestampFromMs(time) });
  // Who says that a call came to something else takes back what they said before.
  const isTakenBack = (one: views.ApprovalVote): boolean =>
    digest !== '' && one.decision === decision && one.voter?.key === voter.key;
  return { votes: [...votes.filter((one) => !isTakenBack(one)), vote] };
}

function requested(
  asked: FactOf<'approvalRequested'>,
  event: RecordedFact,
  before: ConversationState,
  rows: EarlierRows,
) {
  const { id: conversationId, run } = before;
  const call = rows.messagesAt(asked.callRevision).find((one) => one.toolCall?.callId === asked.callId);
  return create(views.ApprovalSchema, {
    id: asked.approvalId,
    conversationId,
    runId: asked.runId,
    stepId: asked.stepId,
    callId: asked.callId,
    kind: asked.kind,
    tool: asked.tool,
    server: asked.server,
    // What another agent does not show of its call is not what it was sent itself.
    argumentsJson: asked.question?.argumentsJson ?? call?.toolCall?.argumentsJson ?? '',
    digest: asked.digest,
    description: asked.description,
    choices: asked.choices,
    reason: asked.reason,
    node: asked.node,
    agentPath: [...agentChain(before, asked.stepId)],
    ...(run?.source?.pinned && { agentSource: run.source }),
    requestedAt: timestampFromMs(event.time),
    ...(asked.expiresAt === undefined ? {} : { expiresAt: asked.expiresAt }),
    ...(asked.demand === undefined ? {} : { demand: asked.demand, requester: run?.requester ?? '' }),
    status: views.ApprovalStatus.PENDING,
    rule: asked.rule,
    ...(asked.edit === undefined
      ? {}
      : { edit: asked.edit, argumentsBeforeJson: rows.approval(asked.edit.replaces)?.argumentsJson ?? '' }),
    notify: notified([], asked.notify, event.revision),
    ...(asked.question === undefined ? {} : askedElsewhere(asked.question)),
  });
}

function askedElsewhere({ taskId, agent, agents }: facts.RemoteQuestion) {
  return { remoteTaskId: taskId, remoteAgentName: agent, agents: [agent, ...agents] };
}

const statuses: Readonly<Record<Decided, views.ApprovalStatus>> = {
  approved: views.ApprovalStatus.APPROVED,
  rejected: views.ApprovalStatus.REJECTED,
  expired: views.ApprovalStatus.EXPIRED,
  withdrawn: views.ApprovalStatus.WITHDRAWN,
  run_again: views.ApprovalStatus.APPROVED,
  happened: views.ApprovalStatus.APPROVED,
  give_up: views.ApprovalStatus.REJECTED,
};

function decided(pending: views.Approval, resolved: FactOf<'approvalResolved'>, event: RecordedFact): views.Approval {
  return create(views.ApprovalSchema, {
    ...pending,
    status: statuses[decidedWord(resolved.decision)],
    decision: resolved.decision,
    decidedBy: event.actor.id,
    decidedSurface: event.actor.surface ?? '',
    decidedAddress: event.actor.address ?? '',
    decidedSignedIn: event.actor.principal !== undefined && event.actor.claimed !== true,
    decidedAt: timestampFromMs(event.time),
    byPolicy: resolved.byPolicy,
    decidedSaid: resolved.said,
    ...voted(pending, resolved, event),
    decisionReason: resolved.proxy ? resolved.reason : '',
  });
}

function pausedView({ status, paused }: RunState) {
  if (status !== 'open' || paused === undefined) return {};
  const { by, reason, limitStepId, limit } = paused;
  const told = limit && { limitAgent: limit.agent, reached: limit.reached.map(limitUseToWire) };
  return { paused: { by, reason, at: timestampFromMs(paused.at), atLimit: limitStepId !== undefined, ...told } };
}

const runStatuses = {
  working: views.RunStatus.WORKING,
  waiting: views.RunStatus.WAITING,
  completed: views.RunStatus.COMPLETED,
  failed: views.RunStatus.FAILED,
  canceled: views.RunStatus.CANCELED,
} as const;

function headOf(state: ConversationState, rows: EarlierRows): views.ConversationHead {
  const { run } = state;
  const messageAt = (revision: number): string => rows.messagesAt(revision)[0]?.content ?? '';
  const standing = runStanding(state);
  const pendingApprovalIds = pendingApprovals(run);
  const pipeline = run === null ? undefined : pipelineView(run, messageAt, (output) => textOf(output, rows));
  const [auth] = interruptsOf(run, 'auth');
  const dueAt = nextDue(run);
  return create(views.ConversationHeadSchema, {
    id: state.id,
    contextId: state.contextId ?? '',
    sessionId: state.sessionId,
    status: pendingApprovalIds.length > 0 ? views.ConversationStatus.WAITING_APPROVAL : views.ConversationStatus.ACTIVE,
    createdAt: timestampFromMs(state.createdAt),
    updatedAt: timestampFromMs(state.updatedAt),
    revision: state.revision,
    messageCount: state.messageCount,
    ...(run === null || standing === 'none'
      ? {}
      : {
          run: {
            id: run.id,
            status: runStatuses[standing],
            messageRevision: run.messageRevision,
            ...pausedView(run),
            // What the branches of a tree say together is bounded like what one node says: their messages have all of it.
            ...(run.spent && { usage: spentToWire(run.spent) }),
            ...(run.source && { agentSource: run.source }),
            response: run.output === undefined ? '' : cutText(textOf(run.output, rows), textBytesMax).text,
          },
        }),
    pendingApprovalIds,
    authPrompt: auth?.prompt ?? '',
    title: state.title,
    principal: state.principal ?? '',
    pendingInputs: pendingInputs(run),
    standingApprovals: (state.standing ?? []).map(({ digest, by: grantedBy, at, ...one }) => ({
      ...one,
      grantedBy,
      sameArguments: digest !== undefined,
      grantedAt: timestampFromMs(at),
    })),
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(dueAt === undefined ? {} : { dueAt: timestampFromMs(dueAt) }),
  });
}
