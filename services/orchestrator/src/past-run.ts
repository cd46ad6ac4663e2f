import {
  type ConversationState,
  canceledText,
  conversationStream,
  cutText,
  evolve,
  type Fact,
  type FactOf,
  initialState,
  type OtherStreamFact,
  outputFromWire,
  outputText,
  type RecordedFact,
  spentToWire,
  textBytesMax,
} from '@stopgo/core';
import type { ConversationLog } from '@stopgo/log';
import { create, views } from '@stopgo/proto';

/**
 * A run that others have followed, as it ended: read from the log, from the event at which it was begun or decided upon.
 * Undefined if the log does not show its end.
 */
export async function readPastRun(
  log: ConversationLog,
  conversationId: string,
  fromRevision: number,
): Promise<views.Run | undefined> {
  let runId: string | undefined;
  const texts = new Map<number, string>();
  for await (const event of log.read(conversationStream(conversationId), fromRevision)) {
    const { fact } = event;
    if (runId === undefined && 'runId' in fact.value) runId = fact.value.runId;
    keepText(event, texts);
    const isEnd = runId !== undefined && 'runId' in fact.value && fact.value.runId === runId;
    if (isEnd && fact.case === 'runCompleted') await readEarlier(log, conversationId, fact.value, fromRevision, texts);
    const end = runId === undefined ? undefined : endOf(fact, runId, texts);
    if (end !== undefined && runId !== undefined)
      return runView(runId, event, end, await stateAt(log, conversationId, event.revision));
  }
  return undefined;
}

/** The conversation as it stood then. */
async function stateAt(log: ConversationLog, conversationId: string, revision: number): Promise<ConversationState> {
  let state: ConversationState = { ...initialState, id: conversationId };
  for await (const event of log.read(conversationStream(conversationId), 1)) {
    if (event.revision > revision) break;
    state = evolve(state, event);
  }
  return state;
}

function keepText({ fact, revision }: RecordedFact, texts: Map<number, string>): void {
  if (fact.case === 'modelResponded') texts.set(revision, fact.value.text);
  if (fact.case === 'toolCallFinished' || fact.case === 'delegationFinished') texts.set(revision, fact.value.content);
  if (fact.case === 'approvalResolved') texts.set(revision, fact.value.result);
}

/** What branches of a tree came to before the others were decided upon is part of the answer too. */
async function readEarlier(
  log: ConversationLog,
  conversationId: string,
  { output }: FactOf<'runCompleted'>,
  before: number,
  texts: Map<number, string>,
): Promise<void> {
  const named = outputFromWire(output).flatMap((part) => {
    if ('text' in part) return [];
    return 'result' in part ? part.result : part.revision;
  });
  const first = Math.min(before, ...named);
  if (first === before) return;
  for await (const event of log.read(conversationStream(conversationId), first)) {
    if (event.revision >= before) return;
    keepText(event, texts);
  }
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
