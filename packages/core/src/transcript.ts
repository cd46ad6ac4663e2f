import { facts } from '@stopgo/proto';
import type { FactOf, RecordedFact } from './facts.ts';
import { endedResult, givenUpResult, rejectedResult } from './texts.ts';

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

/** The result of a call, as a model is told. */
export type CallResult = { readonly content: string; readonly isError: boolean };

/**
 * What was said in a conversation: entries, and results by run and call. Grows with the events that are added; a cache of
 * it serves all further model calls without reading the log again.
 */
export type Transcript = {
  /** Revision of the last event added. */
  readonly revision: number;
  readonly entries: readonly TranscriptEntry[];
  readonly results: ReadonlyMap<string, CallResult>;
};

/** Key of a result in `Transcript.results`. */
export function resultKey(runId: string, callId: string): string {
  return `${runId} ${callId}`;
}

/** A growing transcript: add every event of the conversation in order, from revision 1. */
export class TranscriptBuilder implements Transcript {
  readonly entries: TranscriptEntry[] = [];
  readonly results = new Map<string, CallResult>();
  private readonly late = new Set<string>();
  revision = 0;
  /** Roughly what the texts take in memory, in characters. */
  size = 0;

  /** Adds the next event; one that was added before changes nothing. Throws if an event between is missing. */
  add(event: RecordedFact): void {
    if (event.revision <= this.revision) return;
    if (event.revision !== this.revision + 1)
      throw new Error(`transcript: event ${event.revision} does not follow ${this.revision} in ${event.stream}`);
    this.revision = event.revision;
    const { fact } = event;
    switch (fact.case) {
      case 'userMessageReceived':
        this.say(fact.value.runId, '', { role: 'user', text: fact.value.text });
        return;
      case 'modelResponded':
        this.answered(fact.value);
        return;
      case 'toolCallFinished':
        this.result(fact.value.runId, fact.value.callId, fact.value.content, fact.value.isError, fact.value.late);
        return;
      case 'approvalResolved':
        this.resolved(fact.value);
        return;
      case 'runCompleted':
        for (const part of fact.value.output?.parts ?? []) this.closing(fact.value.runId, part.text);
        return;
      case 'runFailed':
        this.closing(fact.value.runId, fact.value.text);
        return;
      default:
        return;
    }
  }

  /** The arguments of a call of the answer at that revision; undefined if it was not added. Newest answers are found first. */
  argumentsAt(revision: number, callId: string): string | undefined {
    const message = this.entries.findLast((entry) => entry.revision === revision)?.message;
    return message?.role === 'assistant'
      ? message.calls.find((call) => call.callId === callId)?.argumentsJson
      : undefined;
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
  private result(runId: string, callId: string, content: string, isError: boolean, late = false): void {
    const key = resultKey(runId, callId);
    if (this.results.has(key) && (late || !this.late.has(key))) return;
    this.size += content.length - (this.results.get(key)?.content.length ?? 0);
    this.results.set(key, { content, isError });
    if (late) this.late.add(key);
    else this.late.delete(key);
  }

  private answered(answer: FactOf<'modelResponded'>): void {
    const calls = answer.calls.map(({ callId, providerCallId, tool: name, argumentsJson }) => ({
      callId,
      providerCallId,
      name,
      argumentsJson,
    }));
    const { runId, stepId, text, provider, opaque } = answer;
    this.say(runId, stepId, { role: 'assistant', text, calls, provider, opaque });
    for (const call of answer.calls) {
      if (call.disposition === facts.Disposition.REFUSED) this.result(runId, call.callId, call.error, true);
      if (call.disposition === facts.Disposition.CONTROL) this.result(runId, call.callId, 'ok', false);
    }
  }

  private resolved({ runId, callId, decision, result }: FactOf<'approvalResolved'>): void {
    if (decision === facts.Decision.REJECTED || decision === facts.Decision.EXPIRED)
      this.result(runId, callId, rejectedResult, true);
    if (decision === facts.Decision.GIVE_UP) this.result(runId, callId, givenUpResult, true);
    if (decision === facts.Decision.HAPPENED)
      this.result(runId, callId, result === '' ? 'The call was made.' : result, false);
  }
}

/** One message of a prompt: what was said, and the results of the calls of the message before. */
export type PromptMessage =
  | TranscriptMessage
  | { readonly role: 'tool'; readonly results: readonly (TranscriptCall & CallResult)[] };

/** What a model is shown. */
export type PromptScope =
  /** The whole conversation: an agent that is a single llm node. */
  | { readonly kind: 'conversation' }
  /** The run's message, and what the node itself said and did: a node of a tree. */
  | { readonly kind: 'step'; readonly runId: string; readonly stepId: string };

/** The messages for a model call: each call is followed by its result, as providers demand. */
export function promptMessages(transcript: Transcript, scope: PromptScope): PromptMessage[] {
  const messages: PromptMessage[] = [];
  for (const entry of transcript.entries) {
    if (!isInScope(entry, scope)) continue;
    const { message, runId } = entry;
    messages.push(message);
    if (message.role !== 'assistant' || message.calls.length === 0) continue;
    const results = message.calls.map((call) => ({
      ...call,
      ...(transcript.results.get(resultKey(runId, call.callId)) ?? { content: endedResult, isError: true }),
    }));
    messages.push({ role: 'tool', results });
  }
  return messages;
}

function isInScope(entry: TranscriptEntry, scope: PromptScope): boolean {
  if (scope.kind === 'conversation') return true;
  return entry.runId === scope.runId && (entry.message.role === 'user' || entry.stepId === scope.stepId);
}
