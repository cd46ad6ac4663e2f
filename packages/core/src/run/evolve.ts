import { facts } from '@stopgo/proto';
import { isBelow } from '../agent/step-id.ts';
import { controlTools } from '../calls/control/tools.ts';
import { newCall } from '../calls/new-call.ts';
import type { FactOf, OtherStreamFact, RecordedFact } from '../events/facts.ts';
import { evolveProvided, evolveWithdrawn, withoutAsking } from '../interrupts/evolve-inputs.ts';
import {
  atRest,
  evolveAnswered,
  evolveQuestions,
  isAwaited,
  keptParked,
  withoutLeft,
  withoutParked,
} from '../interrupts/evolve-questions.ts';
import {
  evolveAssigned,
  evolveEscalated,
  evolveReminded,
  evolveResolved,
  evolveVote,
  isPending,
} from '../interrupts/kinds/approval.ts';
import { evolveApprovalAsked, evolveInputAsked } from '../interrupts/kinds.ts';
import { withoutStanding, withStanding } from '../interrupts/standing.ts';
import { completionFromWire, completionOf } from '../state/completion.ts';
import { approvalIn } from '../state/interrupt.ts';
import { outputFromWire } from '../state/output.ts';
import { anonymousPrincipal } from '../state/principal.ts';
import {
  withAllSeen,
  withCall,
  withoutDescendants,
  withoutShared,
  withResult,
  withShared,
  withStep,
} from '../state/run-changes.ts';
import type { CallState, ConversationState, Output, RunState, StepState } from '../state/state.ts';
import { titleCharactersMax } from '../text/bounds.ts';
import { canceledText } from '../text/texts.ts';
import {
  callingOf,
  evolveCalled,
  evolveReturned,
  evolveStepReminded,
  withAgentCalls,
  withAnswerUsage,
  withSamplingUsage,
} from './evolve-agents.ts';
import { evolveCanceled } from './evolve-canceled.ts';
import { evolvePaused, evolveResumed } from './evolve-pace.ts';
import { policyOf, withApproval, withCounted } from './evolve-seen-by-rules.ts';
import { startedStep, withIterationOf } from './evolve-steps.ts';
import { messageRows } from './messages.ts';

/**
 * Folds one event into the state of its conversation. Total: an event that does not fit the state (of a run that is not
 * the latest, a repeat, a late outcome) changes nothing but the revision.
 */
export function evolve(state: ConversationState, recorded: RecordedFact): ConversationState {
  const base: ConversationState = {
    ...state,
    revision: recorded.revision,
    updatedAt: recorded.time,
    sessionId: sessionBrought(recorded.fact) || state.sessionId,
    messageCount: state.messageCount + messageRows(recorded).length,
  };
  const { fact } = recorded;
  switch (fact.case) {
    case 'conversationCreated':
      return {
        ...base,
        id: fact.value.conversationId,
        agentName: fact.value.agentName,
        createdAt: recorded.time,
        ...belongingOf(fact.value),
      };
    case 'userMessageReceived':
      return state.title === '' ? { ...base, title: titleOf(fact.value.text) } : base;
    case 'runStarted':
      return { ...base, ...keptParked(state), run: startedRun(fact.value, state, recorded.actor.principal ?? '') };
    case 'standingApprovalGranted':
      return withStanding(base, fact.value, recorded);
    case 'standingApprovalRevoked':
      return withoutStanding(base, fact.value.standingId);
    default: {
      const run = state.run;
      if (run === null || !('runId' in fact.value)) return base;
      if (fact.value.runId !== run.id) return withoutLeft(base, fact);
      if (fact.case === 'stepCanceled') return evolveCanceled(base, run, fact.value);
      return { ...withoutLeft(base, fact), run: evolveRun(run, recorded) };
    }
  }
}

/** Folds events in order. */
export function fold(state: ConversationState, events: Iterable<RecordedFact>): ConversationState {
  let now = state;
  for (const event of events) now = evolve(now, event);
  return now;
}

/** The session that the request of an event brought; empty if it is the conversation's, or there was no request. */
function sessionBrought({ value }: RecordedFact['fact']): string {
  return 'sessionId' in value ? value.sessionId : '';
}

/** Left out where it says nothing: so the states of conversations that name no context are what they were. */
function belongingOf(created: FactOf<'conversationCreated'>): Pick<ConversationState, 'contextId' | 'principal'> {
  const { contextId, principal, conversationId } = created;
  return {
    ...(contextId === '' || contextId === conversationId ? {} : { contextId }),
    ...(principal === '' || principal === anonymousPrincipal ? {} : { principal }),
  };
}

function titleOf(text: string): string {
  if (text.length <= titleCharactersMax) return text;
  return [...text.slice(0, titleCharactersMax * 2)].slice(0, titleCharactersMax).join('');
}

function startedRun(started: FactOf<'runStarted'>, state: ConversationState, requester: string): RunState {
  return {
    id: started.runId,
    status: 'open',
    // The message stands right before the run that answers it.
    messageRevision: state.revision,
    ...(requester === '' ? {} : { requester }),
    agentDigest: started.agentDigest,
    toolsetDigest: started.toolsetDigest,
    bearerTokenPresent: started.bearerTokenPresent,
    ...(started.policyDigest === '' ? {} : policyOf(started)),
    ...(started.pipeline ? { pipeline: true } : {}),
    ...callingOf(started),
    owner: started.owner === undefined ? null : { instance: started.owner.instance, epoch: started.owner.epoch },
    epoch: started.owner?.epoch ?? 0,
    steps: {},
    calls: {},
    interrupts: {},
    sessionState: {},
  };
}

/** Facts that change no run that goes on. */
type NotOfRun =
  | OtherStreamFact
  | 'conversationCreated'
  | 'userMessageReceived'
  | 'runStarted'
  | 'modelFailed'
  | 'stepCanceled'
  | 'standingApprovalGranted'
  | 'standingApprovalRevoked';

function evolveRun(run: RunState, recorded: RecordedFact): RunState {
  const { fact, revision } = recorded;
  if (run.status !== 'open') return withoutParked(run, fact);
  switch (fact.case) {
    case 'runClaimed': {
      const owner = fact.value.owner;
      if (owner === undefined) return run;
      return {
        ...withAllSeen(run),
        owner: { instance: owner.instance, epoch: owner.epoch },
        epoch: Math.max(run.epoch, owner.epoch),
      };
    }
    case 'runReleased':
      return { ...withAllSeen(run), owner: null };
    case 'runPaused':
      return evolvePaused(run, fact.value, recorded.time);
    case 'runResumed':
      return evolveResumed(run, fact.value, recorded.time);
    case 'stepStarted':
      return withStep(withIterationOf(run, fact.value.stepId), startedStep(fact.value, run.pipeline === true));
    case 'modelResponded':
      return evolveAnswer(run, fact.value, revision);
    case 'modelAnsweredNothing': {
      const step = run.steps[fact.value.stepId];
      return step === undefined ? run : withStep(run, { ...step, emptyTurn: fact.value.turn });
    }
    case 'agentCalled':
      return evolveCalled(run, fact.value, recorded.time);
    case 'agentReturned':
      return evolveReturned(run, fact.value, revision);
    case 'stepReminded':
      return evolveStepReminded(run, fact.value);
    case 'approvalRequested':
      return evolveApprovalAsked(run, fact.value, recorded.time);
    case 'approvalResolved': {
      const after = evolveResolved(run, fact.value, recorded);
      return isPending(after, fact.value.approvalId) ? after : withApproval(after, fact.value);
    }
    case 'approvalVoted':
      return evolveVote(run, fact.value, recorded);
    case 'callEdited':
      return evolveEdited(run, fact.value, revision);
    case 'approvalAssigned':
      return evolveAssigned(run, fact.value);
    case 'approvalReminded':
      return evolveReminded(run, fact.value);
    case 'approvalEscalated':
      return evolveEscalated(run, fact.value);
    case 'inputRequested':
      return evolveInputAsked(run, fact.value, recorded.time);
    case 'inputProvided': {
      const next = evolveProvided(run, recorded);
      return next === run ? run : withSamplingUsage(next, fact.value.sampling);
    }
    case 'inputWithdrawn':
      return evolveWithdrawn(run, recorded);
    case 'toolCallStarted': {
      const { callId, attempt, bridgeInstance } = fact.value;
      return withCall(run, callId, { phase: 'started', attempt, bridge: bridgeInstance });
    }
    case 'toolCallFinished':
    case 'delegationFinished':
      return evolveFinished(run, fact.value, revision);
    case 'delegationRequested':
      return evolveDelegated(run, fact.value, revision);
    case 'delegationStarted': {
      const { callId, attempt, messageId, contextId } = fact.value;
      const sent = { messageId, contextId, taskId: '', taskState: '', updates: 0 };
      return withCall(run, callId, { phase: 'started', attempt, sent });
    }
    case 'delegationUpdated': {
      const { callId, attempt, task } = fact.value;
      const call = run.calls[callId];
      if (call?.sent === undefined || call.attempt !== attempt) return run;
      const { id: taskId = '', state: taskState = '' } = task ?? {};
      return withCall(run, callId, { sent: { ...call.sent, taskId, taskState, updates: call.sent.updates + 1 } });
    }
    case 'delegationAsked':
      return evolveQuestions(run, fact.value);
    case 'delegationAnswered':
      return evolveAnswered(run, fact.value);
    case 'toolCallInDoubt': {
      const { callId, attempt } = fact.value;
      return withCall(atRest(run, callId), callId, { phase: 'in_doubt', attempt });
    }
    case 'toolCallRefused':
      return evolveRefused(run, fact.value);
    case 'stateSet':
      return { ...run, sessionState: { ...run.sessionState, [fact.value.key]: outputFromWire(fact.value.value) } };
    case 'runDataWritten': {
      const { key, callId, callRevision, bytes } = fact.value;
      return withShared(run, { key, writtenAt: revision, callId, callRevision, bytes });
    }
    case 'runDataDeleted':
      return withoutShared(run, fact.value.key);
    case 'stepFinished': {
      const step = run.steps[fact.value.stepId];
      if (step === undefined) return run;
      const { exitLoop, failed } = fact.value;
      const completion = completionFromWire(fact.value.completion);
      const finished = {
        ...{ output: outputFromWire(fact.value.output), exitLoop, failed },
        ...(completion && { completion }),
      };
      return withStep(withoutDescendants(run, step.id), { ...step, finished });
    }
    case 'runCompleted':
      return settled(run, 'completed', outputFromWire(fact.value.output), recorded);
    case 'runFailed':
      return settled(run, 'failed', [{ text: fact.value.text }], recorded);
    case 'runCanceled':
      return settled(run, 'canceled', [{ text: canceledText(fact.value.reason) }], recorded);
    default:
      fact.case satisfies NotOfRun;
      return run;
  }
}

function evolveAnswer(run: RunState, answer: FactOf<'modelResponded'>, revision: number): RunState {
  const step = run.steps[answer.stepId];
  if (step === undefined) return run;
  const calls: Record<string, CallState> = { ...run.calls };
  for (const call of answer.calls) calls[call.callId] = newCall(call, answer.stepId, revision);
  // Calls of earlier answers of the step are done and of no further use.
  for (const id of step.callIds) delete calls[id];
  const next: StepState = {
    ...step,
    turn: answer.turn,
    callIds: answer.calls.map((call) => call.callId),
    answerRevision: revision,
    textRevision: answer.text === '' ? step.textRevision : revision,
    ...completedBy(answer.calls),
    ...(step.result === undefined ? {} : { result: { ...step.result, index: -1 } }),
  };
  const counted = withAgentCalls(withCounted({ ...run, calls }, answer.calls), answer.stepId, answer.calls);
  return withAnswerUsage(withStep(counted, next), answer.stepId, answer.usage);
}

/** What an agent says that has done its task. */
function completedBy(calls: readonly facts.Call[]): Pick<StepState, 'completion'> {
  const said = calls.find(
    ({ disposition, tool }) => disposition === facts.Disposition.CONTROL && controlTools.get(tool)?.completes === true,
  );
  const completion = said === undefined ? '' : completionOf(said.argumentsJson);
  return typeof completion === 'string' ? {} : { completion };
}

/** An a2a node has its message: from here on its one call is as any other. */
function evolveDelegated(run: RunState, asked: FactOf<'delegationRequested'>, revision: number): RunState {
  const step = run.steps[asked.stepId];
  const { call } = asked;
  if (step === undefined || call === undefined) return run;
  const calls = { ...run.calls, [call.callId]: newCall(call, asked.stepId, revision) };
  return withStep({ ...run, calls }, { ...step, turn: 1, callIds: [call.callId] });
}

function evolveFinished(
  run: RunState,
  finished: FactOf<'toolCallFinished'> | FactOf<'delegationFinished'>,
  resultRevision: number,
): RunState {
  const { callId, attempt, isError, late, content } = finished;
  if (late) return run;
  const outcome = isError ? 'error' : 'result';
  const settledCall = atRest(run, callId);
  const next = withCall(settledCall, callId, { phase: 'done', attempt, outcome, resultRevision });
  return next === settledCall || isError || content === '' ? next : withResult(next, callId, resultRevision);
}

/** The call waits as before, with other arguments: whatever they would have needed by themselves, a person lets it run now. */
function evolveEdited(run: RunState, { callId, call, editors }: FactOf<'callEdited'>, revision: number): RunState {
  const before = run.calls[callId];
  if (call === undefined || before?.phase !== 'waiting') return run;
  const { rule: _before, ...rest } = before;
  const ruled = call.rule === '' ? {} : { rule: call.rule };
  const by = editors.length === 0 ? {} : { editedBy: editors };
  const edited: CallState = { ...rest, ...ruled, ...by, digest: call.digest, gated: true, revision };
  return { ...run, calls: { ...run.calls, [callId]: edited } };
}

function evolveRefused(run: RunState, refused: FactOf<'toolCallRefused'>): RunState {
  const call = run.calls[refused.callId];
  if (call === undefined) return run;
  const attempt = refused.attempt;
  if (refused.reason !== facts.RefusalReason.PIN_CHANGED)
    return withCall(atRest(run, call.id), call.id, { phase: 'ready', attempt });
  const approval = call.approvalId === undefined ? undefined : approvalIn(run, call.approvalId);
  const interrupts =
    approval === undefined
      ? run.interrupts
      : { ...run.interrupts, [approval.id]: { ...approval, void: true as const } };
  const { pin, digest, repeatable } = refused;
  if (call.phase === 'done') return { ...run, interrupts };
  // The approval allows nothing any more: the call goes on without it, or asks for another.
  const { approvalId: _void, ...rest } = call;
  const pinChanges = call.pinChanges + 1;
  const next: CallState = { ...rest, phase: 'ready', attempt, pin, digest, repeatable, pinChanges };
  return { ...run, interrupts, calls: { ...run.calls, [call.id]: next } };
}

function settled(before: RunState, status: RunState['status'], output: Output, recorded: RecordedFact): RunState {
  const { interrupts, data: _, ...run } = withoutAsking(before, recorded);
  // Calls that were started stay known, so that their outcomes can be told to be late, and tasks that wait be ended.
  const awaited = Object.values(run.calls).filter(isAwaited);
  // With the agents in whose trees they are: what those follow is asked for by whoever ends them.
  const isKept = (one: CallState): boolean =>
    isAwaited(one) || (one.called !== undefined && awaited.some(({ stepId }) => isBelow(stepId, one.id)));
  const calls = Object.fromEntries(Object.entries(run.calls).filter(([, call]) => isKept(call)));
  const approvals = Object.entries(interrupts).filter(([, { kind }]) => kind === 'approval');
  return {
    ...run,
    ...{ status, output, owner: null, steps: {}, calls, sessionState: {} },
    interrupts: Object.fromEntries(approvals),
  };
}
