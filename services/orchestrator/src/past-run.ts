import {
  type ConversationState,
  canceledText,
  conversationStream,
  cutText,
  evolve,
  type Fact,
  initialState,
  type OtherStreamFact,
  outputFromWire,
  outputText,
  type RecordedFact,
  type StreamName,
  spentToWire,
  textBytesMax,
} from '@stopgo/core';
import type { ConversationLog } from '@stopgo/log';
import { create, views } from '@stopgo/proto';

/** Events that are looked at first for the beginning of a run, before those that are known of it; twice as many each further time. */
const windowEvents = 64;

/**
 * A run that others have followed, as it ended: read from the log, from one of its events on and as far back as it began. Undefined if
 * the log does not show its beginning and its end.
 */
export async function readPastRun(
  log: ConversationLog,
  conversationId: string,
  fromRevision: number,
): Promise<views.Run | undefined> {
  const stream = conversationStream(conversationId);
  const start = await startOfRun(log, stream, fromRevision);
  if (start === undefined) return undefined;
  const { runId, revision } = start;
  const texts = new Map<number, string>();
  // What is told of the run follows from its own events.
  let state: ConversationState = { ...initialState, id: conversationId };
  for await (const event of log.read(stream, revision)) {
    keepText(event, texts);
    state = evolve(state, event);
    const end = endOf(event.fact, runId, texts);
    if (end !== undefined) return runView(runId, event, end, state);
  }
  return undefined;
}

type Start = { readonly runId: string; readonly revision: number };

/** Where the run began that an event is of, or the first one after it that is of a run. */
async function startOfRun(log: ConversationLog, stream: StreamName, fromRevision: number): Promise<Start | undefined> {
  const known = await runAt(log, stream, fromRevision);
  if (known === undefined || known.isStart) return known;
  for (let through = fromRevision - 1, events = windowEvents; through >= 1; events *= 2) {
    const from = Math.max(1, through - events + 1);
    for await (const { fact, revision } of log.read(stream, from, undefined, through))
      if (isStart(fact) && fact.value.runId === known.runId) return { runId: known.runId, revision };
    through = from - 1;
  }
  return undefined;
}

/** The run that is known of first from a revision on. */
async function runAt(log: ConversationLog, stream: StreamName, from: number) {
  for await (const { fact, revision } of log.read(stream, from, undefined, from + windowEvents - 1))
    if ('runId' in fact.value) return { runId: fact.value.runId, revision, isStart: isStart(fact) };
  return undefined;
}

const isStart = (fact: Fact): fact is Extract<Fact, { case: 'userMessageReceived' }> =>
  fact.case === 'userMessageReceived';

function keepText({ fact, revision }: RecordedFact, texts: Map<number, string>): void {
  if (fact.case === 'modelResponded') texts.set(revision, fact.value.text);
  if (fact.case === 'toolCallFinished' || fact.case === 'delegationFinished') texts.set(revision, fact.value.content);
  if (fact.case === 'approvalResolved') texts.set(revision, fact.value.result);
}

type End = { readonly status: views.RunStatus; readonly response: string };

/** Facts that no run ends with. */
type EndsNoRun =
  | 'approvalVoted'
  | 'approvalAssigned'
  | 'approvalReminded'
  | 'approvalEscalated'
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
  | 'approvalRequested'
  | 'approvalResolved'
  | 'inputRequested'
  | 'inputProvided'
  | 'toolCallStarted'
  | 'toolCallFinished'
  | 'toolCallInDoubt'
  | 'toolCallRefused'
  | 'delegationStarted'
  | 'delegationUpdated'
  | 'delegationFinished'
  | 'stateSet'
  | 'runDataWritten'
  | 'runDataDeleted'
  | 'stepFinished'
  | 'delegationRequested'
  | 'delegationAsked'
  | 'delegationAnswered'
  | 'inputWithdrawn'
  | 'modelAnsweredNothing'
  | 'agentCalled'
  | 'agentReturned'
  | 'stepReminded'
  | 'stepCanceled'
  | 'runPaused'
  | 'runResumed'
  | 'standingApprovalGranted'
  | 'standingApprovalRevoked';

function endOf(fact: Fact, runId: string, texts: ReadonlyMap<number, string>): End | undefined {
  if (!('runId' in fact.value) || fact.value.runId !== runId) return undefined;
  switch (fact.case) {
    case 'runCompleted': {
      const response = outputText(outputFromWire(fact.value.output), (revision) => texts.get(revision) ?? '');
      return { status: views.RunStatus.COMPLETED, response: cutText(response, textBytesMax).text };
    }
    case 'runFailed':
      return { status: views.RunStatus.FAILED, response: fact.value.text };
    case 'runCanceled':
      return { status: views.RunStatus.CANCELED, response: canceledText(fact.value.reason) };
    default:
      fact.case satisfies EndsNoRun;
      return undefined;
  }
}

function runView(id: string, event: RecordedFact, { status, response }: End, { run }: ConversationState): views.Run {
  return create(views.RunSchema, {
    ...{ id, status, response, messageRevision: event.revision },
    ...(run?.spent && { usage: spentToWire(run.spent) }),
    ...(run?.source && { agentSource: run.source }),
  });
}
