import { facts } from '@stopgo/proto';
import { calledRoot, rootStep } from '../agent/step-id.ts';
import { agentResult } from '../calls/agent-result.ts';
import { controlResult } from '../calls/control/tools.ts';
import { type BlobRef, blobRefs } from '../events/blobs.ts';
import type { FactOf, OtherStreamFact, RecordedFact } from '../events/facts.ts';
import { outputFromWire } from '../state/output.ts';
import type { Output } from '../state/state.ts';
import { earlierTextsLeftOut, expiredResult, givenUpResult, rejectedFor, withdrawnFor } from '../text/texts.ts';

/** One entry of what was said, in the order of the log, with the run and step it belongs to. */
export type TranscriptEntry = {
  readonly revision: number;
  readonly runId: string;
  readonly stepId: string;
  readonly message: TranscriptMessage;
};

export type TranscriptMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly TranscriptCall[];
      readonly provider: string;
      /** The provider's own form, where it must be handed back unchanged; empty if there is none. */
      readonly opaque: Uint8Array;
    };

export type TranscriptCall = {
  readonly callId: string;
  readonly providerCallId: string;
  readonly name: string;
  readonly argumentsJson: string;
};

/** A call that has its result, whoever made it. */
export type FinishedCall = FactOf<'toolCallFinished'> | FactOf<'delegationFinished'>;

/** The result of a call, as a model is told. */
export type CallResult = {
  readonly content: string;
  readonly isError: boolean;
  /** What it holds beside text; absent: nothing. */
  readonly blobs?: readonly BlobRef[];
};

/**
 * What was said in a conversation: entries, and results by run and call. Grows with the events that are added; a cache of
 * it serves all further model calls without reading the log again.
 */
export type Transcript = {
  /** Revision of the last event added. */
  readonly revision: number;
  readonly entries: readonly TranscriptEntry[];
  /** What each settled run came to, by run; canceled ones have said nothing. */
  readonly answers: ReadonlyMap<string, Output>;
  /** The text of the answer, or the result of the call, that the event of this revision holds; empty for any other. */
  textAt(revision: number): string;
  /** The result of a call of a run; undefined if it has none yet. */
  resultOf(runId: string, callId: string): CallResult | undefined;
  /** What an agent of a run is told of those that it may call; `root`: the step of its root. Empty: nothing. */
  agentsTo(runId: string, root: string): string;
  /** What the agent that works on a call was told of its own memory when it was called. Empty: nothing. */
  memoriesTo(runId: string, callId: string): string;
  /** The same of session state, and of what the agents of the run share. */
  stateTo(runId: string, callId: string): string;
  /** The arguments that a person gave a call of a run in place of those that the model did; undefined if nobody did. */
  editOf(runId: string, callId: string): string | undefined;
  /** The same with the results that calls of an open run are about to have. */
  withResults(finished: readonly FinishedCall[]): Transcript;
};

/** Facts by which nothing is said that a model is told. */
type NotSaid =
  | 'approvalVoted'
  | 'approvalAssigned'
  | 'approvalReminded'
  | 'approvalEscalated'
  | OtherStreamFact
  | 'runClaimed'
  | 'runReleased'
  | 'stepStarted'
  | 'modelFailed'
  | 'approvalRequested'
  | 'inputRequested'
  | 'inputProvided'
  | 'toolCallStarted'
  | 'toolCallInDoubt'
  | 'toolCallRefused'
  | 'delegationStarted'
  | 'delegationUpdated'
  | 'stateSet'
  | 'runDataWritten'
  | 'runDataDeleted'
  | 'stepFinished'
  | 'runCanceled'
  | 'stepCanceled'
  | 'runPaused'
  | 'runResumed'
  | 'delegationAsked'
  | 'delegationAnswered'
  | 'inputWithdrawn'
  | 'modelAnsweredNothing'
  | 'standingApprovalGranted'
  | 'standingApprovalRevoked';

/** A growing transcript: add every event of the conversation in order, from revision 1. */
export class TranscriptBuilder implements Transcript {
  readonly entries: TranscriptEntry[] = [];
  readonly answers = new Map<string, Output>();
  private readonly results = new Map<string, CallResult>();
  private readonly resultsAt = new Map<number, string>();
  private readonly late = new Set<string>();
  private readonly agentsTold = new Map<string, string>();
  private readonly memoriesTold = new Map<string, string>();
  private readonly stateTold = new Map<string, string>();
  private readonly edits = new Map<string, string>();
  private readonly editsAt = new Map<number, { readonly callId: string; readonly argumentsJson: string }>();
  revision = 0;
  /** Roughly what the texts take in memory, in characters. */
  size = 0;

  resultOf(runId: string, callId: string): CallResult | undefined {
    return this.results.get(resultKey(runId, callId));
  }

  agentsTo(runId: string, root: string): string {
    return this.agentsTold.get(resultKey(runId, root)) ?? '';
  }

  memoriesTo(runId: string, callId: string): string {
    return this.memoriesTold.get(resultKey(runId, callId)) ?? '';
  }

  stateTo(runId: string, callId: string): string {
    return this.stateTold.get(resultKey(runId, callId)) ?? '';
  }

  editOf(runId: string, callId: string): string | undefined {
    return this.edits.get(resultKey(runId, callId));
  }

  /** Copies nothing, so that it costs the same in a long conversation. */
  withResults(finished: readonly FinishedCall[]): Transcript {
    return new Foreseen(this, finished);
  }

  /** Adds the next event; one that was added before changes nothing. Throws if an event between is missing. */
  add(event: RecordedFact): void {
    if (event.revision <= this.revision) return;
    if (event.revision !== this.revision + 1)
      throw new Error(`transcript: event ${event.revision} does not follow ${this.revision} in ${event.stream}`);
    this.revision = event.revision;
    const { fact } = event;
    switch (fact.case) {
      case 'conversationCreated':
        this.saidEarlier(fact.value);
        return;
      case 'userMessageReceived':
        this.say(fact.value.runId, '', { role: 'user', text: fact.value.text });
        return;
      case 'modelResponded':
        this.answered(fact.value, event.time);
        return;
      case 'delegationRequested':
        this.delegated(fact.value, event.time);
        return;
      case 'toolCallFinished':
      case 'delegationFinished':
        this.result(fact.value.runId, fact.value.callId, resultOf(fact.value), fact.value.late);
        return;
      case 'agentCalled':
        this.called(fact.value);
        return;
      case 'runStarted':
        this.told(this.agentsTold, fact.value.runId, rootStep, fact.value.agentsTold);
        return;
      case 'agentReturned':
        this.returned(fact.value);
        return;
      case 'stepReminded':
        this.say(fact.value.runId, fact.value.stepId, { role: 'user', text: fact.value.text });
        return;
      case 'callEdited':
        this.edited(fact.value);
        return;
      case 'approvalResolved':
        this.resolved(fact.value);
        return;
      case 'runCompleted':
        for (const part of fact.value.output?.parts ?? []) this.closing(fact.value.runId, part.text);
        this.answers.set(fact.value.runId, outputFromWire(fact.value.output));
        return;
      case 'runFailed':
        this.answers.set(fact.value.runId, [{ text: fact.value.text }]);
        this.closing(fact.value.runId, fact.value.text);
        return;
      default:
        fact.case satisfies NotSaid;
        return;
    }
  }

  /** The arguments of a call in the event of that revision; undefined if it was not added. Newest answers are found first. */
  argumentsAt(revision: number, callId: string): string | undefined {
    const edit = this.editsAt.get(revision);
    if (edit !== undefined) return edit.callId === callId ? edit.argumentsJson : undefined;
    const message = this.entries.findLast((entry) => entry.revision === revision)?.message;
    return message?.role === 'assistant'
      ? message.calls.find((call) => call.callId === callId)?.argumentsJson
      : undefined;
  }

  textAt(revision: number): string {
    const entry = this.entries[this.placeOf(revision)];
    if (entry?.revision === revision && entry.message.role === 'assistant') return entry.message.text;
    return this.resultsAt.get(revision) ?? '';
  }

  /** Index of the first entry that is not older than a revision. */
  private placeOf(revision: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle]?.revision ?? 0) < revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private say(runId: string, stepId: string, message: TranscriptMessage): void {
    this.entries.push({ revision: this.revision, runId, stepId, message });
    this.size += message.text.length;
    if (message.role !== 'assistant') return;
    this.size += message.opaque.length + message.calls.reduce((sum, call) => sum + call.argumentsJson.length, 0);
  }

  private closing(runId: string, text: string): void {
    if (text !== '')
      this.say(runId, '', { role: 'assistant', text, calls: [], provider: '', opaque: new Uint8Array() });
  }

  /** The first result stands. One that came late only fills the gap until the run has a result of its own. */
  private result(runId: string, callId: string, result: CallResult, late = false): void {
    const key = resultKey(runId, callId);
    if (this.results.has(key) && (late || !this.late.has(key))) return;
    this.size += result.content.length - (this.results.get(key)?.content.length ?? 0);
    this.results.set(key, result);
    this.resultsAt.set(this.revision, result.content);
    if (late) this.late.add(key);
    else this.late.delete(key);
  }

  /** What was said in the context before: as turns of runs that are over. */
  private saidEarlier({ earlier, earlierLeftOut }: FactOf<'conversationCreated'>): void {
    if (earlierLeftOut) this.say('', '', { role: 'user', text: earlierTextsLeftOut });
    let turn = '';
    for (const [index, { byUser, text }] of earlier.entries()) {
      if (byUser) {
        turn = `earlier ${index}`;
        this.say(turn, '', { role: 'user', text });
      } else {
        this.closing(turn, text);
        this.answers.set(turn, [...(this.answers.get(turn) ?? []), { text }]);
      }
    }
  }

  private answered(answer: FactOf<'modelResponded'>, at: number): void {
    const { runId, stepId, text, provider, opaque } = answer;
    this.say(runId, stepId, { role: 'assistant', text, calls: answer.calls.map(transcriptCall), provider, opaque });
    for (const call of answer.calls) this.resultAtOnce(runId, call, at);
  }

  /** A node of a tree called an agent: as if a model had. */
  private delegated({ runId, stepId, call }: FactOf<'delegationRequested'>, at: number): void {
    if (call === undefined) return;
    const calls = [transcriptCall(call)];
    this.say(runId, stepId, { role: 'assistant', text: '', calls, provider: '', opaque: new Uint8Array() });
    this.resultAtOnce(runId, call, at);
  }

  /** The model's own call stays as it made it: providers demand that, and keep what they have read. */
  private edited({ runId, callId, call }: FactOf<'callEdited'>): void {
    if (call === undefined) return;
    const { argumentsJson } = call;
    this.edits.set(resultKey(runId, callId), argumentsJson);
    this.editsAt.set(this.revision, { callId, argumentsJson });
    this.size += 2 * argumentsJson.length;
  }

  private called({ runId, callId, agentsTold, memoriesTold, stateTold }: FactOf<'agentCalled'>): void {
    this.told(this.agentsTold, runId, calledRoot(callId), agentsTold);
    this.told(this.memoriesTold, runId, callId, memoriesTold);
    this.told(this.stateTold, runId, callId, stateTold);
  }

  private told(texts: Map<string, string>, runId: string, place: string, text: string): void {
    if (text === '') return;
    texts.set(resultKey(runId, place), text);
    this.size += text.length;
  }

  private returned(returned: FactOf<'agentReturned'>): void {
    const content = agentResult(returned, (revision) => this.textAt(revision));
    this.result(returned.runId, returned.callId, { content, isError: returned.isError });
  }

  private resultAtOnce(runId: string, call: facts.Call, at: number): void {
    if (call.disposition === facts.Disposition.REFUSED)
      this.result(runId, call.callId, { content: call.error, isError: true });
    if (call.disposition === facts.Disposition.CONTROL)
      this.result(runId, call.callId, { content: controlResult(call, at), isError: false });
  }

  private resolved({ runId, callId, decision, result, proxy, said, voter }: FactOf<'approvalResolved'>): void {
    if (proxy) return;
    if (decision === facts.Decision.REJECTED) this.result(runId, callId, { content: rejectedFor(said), isError: true });
    if (decision === facts.Decision.WITHDRAWN && voter !== undefined)
      this.result(runId, callId, { content: withdrawnFor(said), isError: true });
    if (decision === facts.Decision.EXPIRED) this.result(runId, callId, { content: expiredResult, isError: true });
    if (decision === facts.Decision.GIVE_UP) this.result(runId, callId, { content: givenUpResult, isError: true });
    if (decision === facts.Decision.HAPPENED)
      this.result(runId, callId, { content: result === '' ? 'The call was made.' : result, isError: false });
  }
}

function resultOf(finished: FinishedCall): CallResult {
  const { content, isError } = finished;
  const blobs = 'blobs' in finished ? blobRefs(finished.blobs) : [];
  return { content, isError, ...(blobs.length === 0 ? {} : { blobs }) };
}

function transcriptCall({ callId, providerCallId, tool: name, argumentsJson }: facts.Call): TranscriptCall {
  return { callId, providerCallId, name, argumentsJson };
}

/** A transcript with results that it does not hold yet. */
class Foreseen implements Transcript {
  private readonly recorded: Transcript;
  private readonly results = new Map<string, CallResult>();

  constructor(recorded: Transcript, finished: readonly FinishedCall[]) {
    this.recorded = recorded;
    for (const one of finished) this.results.set(resultKey(one.runId, one.callId), resultOf(one));
  }

  get revision(): number {
    return this.recorded.revision;
  }

  get entries(): readonly TranscriptEntry[] {
    return this.recorded.entries;
  }

  get answers(): ReadonlyMap<string, Output> {
    return this.recorded.answers;
  }

  textAt(revision: number): string {
    return this.recorded.textAt(revision);
  }

  resultOf(runId: string, callId: string): CallResult | undefined {
    // A result that came late before stands for an attempt that was given up.
    return this.results.get(resultKey(runId, callId)) ?? this.recorded.resultOf(runId, callId);
  }

  agentsTo(runId: string, root: string): string {
    return this.recorded.agentsTo(runId, root);
  }

  memoriesTo(runId: string, callId: string): string {
    return this.recorded.memoriesTo(runId, callId);
  }

  stateTo(runId: string, callId: string): string {
    return this.recorded.stateTo(runId, callId);
  }

  editOf(runId: string, callId: string): string | undefined {
    return this.recorded.editOf(runId, callId);
  }

  withResults(finished: readonly FinishedCall[]): Transcript {
    return new Foreseen(this, finished);
  }
}

/** The calls of different runs have the same ids: they are places in the tree. */
export function resultKey(runId: string, callId: string): string {
  return `${runId} ${callId}`;
}
