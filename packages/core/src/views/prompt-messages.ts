/** What a model is told of a transcript. */

import { outputText } from '../state/output.ts';
import { earlierTurnsBytesMax, earlierTurnsMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';
import { editedResult, endedResult } from '../text/texts.ts';
import { markedForModel } from '../text/visible.ts';
import {
  type CallResult,
  resultKey,
  type Transcript,
  type TranscriptCall,
  type TranscriptEntry,
  type TranscriptMessage,
} from './transcript.ts';

/**
 * One message of a prompt: what was said, and the results of the calls of the message before. Here the id of a call names
 * its run too: ids are places in the tree, so that the calls of another run have the same ones.
 */
export type PromptMessage =
  | TranscriptMessage
  | { readonly role: 'tool'; readonly results: readonly (TranscriptCall & CallResult)[] };

/** What a model is shown. */
export type PromptScope =
  /** The whole conversation: an agent that is a single llm node. */
  | { readonly kind: 'conversation' }
  /**
   * A node of a tree: the run's message, and what the node itself said and did. Before that the last turns of the
   * conversation, each as the user's message and the run's answer: at most `earlierTurnsMax`, in `earlierTurnsBytesMax`.
   */
  | { readonly kind: 'step'; readonly runId: string; readonly stepId: string }
  /** A node of an agent that works on a call: its task, what it is told of what was said before, and what the node itself said and did. */
  | {
      readonly kind: 'called';
      readonly runId: string;
      readonly stepId: string;
      readonly input: string;
      readonly context: string;
    };

/** The messages for a model call: each call is followed by its result, as providers demand. */
export function promptMessages(transcript: Transcript, scope: PromptScope): PromptMessage[] {
  const { entries } = transcript;
  const from = scope.kind === 'conversation' ? 0 : beginOfRun(entries, scope.runId);
  const messages: PromptMessage[] = [...before(transcript, from, scope)];
  for (const entry of entries.slice(from)) {
    if (!isInScope(entry, scope)) continue;
    const { message, runId } = entry;
    // A node of a tree may have had nothing to add. No provider takes an empty message.
    if (message.role === 'assistant' && message.text === '' && message.calls.length === 0) continue;
    if (message.role !== 'assistant' || message.calls.length === 0) {
      messages.push(message);
      continue;
    }
    const named = (call: TranscriptCall): TranscriptCall => ({ ...call, callId: resultKey(runId, call.callId) });
    const calls = message.calls.map(named);
    const results = message.calls.map((call) => ({
      ...named(call),
      ...markedResult(toldResult(transcript, runId, call.callId)),
    }));
    messages.push({ ...message, calls }, { role: 'tool', results });
  }
  return messages;
}

/** What stands before what the run said. */
function before(transcript: Transcript, from: number, scope: PromptScope): readonly PromptMessage[] {
  if (scope.kind === 'conversation') return [];
  if (scope.kind === 'step') return earlierTurns(transcript, from);
  const { context, input } = scope;
  return [{ role: 'user', text: context === '' ? input : `${context}\n\n${input}` }];
}

/** The user's message is for the tree of the run's own agent; what a node is reminded of is for that node. */
function isInScope({ stepId, message }: TranscriptEntry, scope: PromptScope): boolean {
  if (scope.kind === 'conversation') return true;
  return stepId === scope.stepId || (scope.kind === 'step' && message.role === 'user' && stepId === '');
}

/** The result of a call. Where a person changed the call, the model is told with it what was called. */
function toldResult(transcript: Transcript, runId: string, callId: string): CallResult {
  const result = transcript.resultOf(runId, callId) ?? { content: endedResult, isError: true };
  const edit = transcript.editOf(runId, callId);
  return edit === undefined ? result : { ...result, content: editedResult(edit, result.content) };
}

/** The log keeps what came; a model is told what a person would not have seen in it. */
function markedResult(result: CallResult): CallResult {
  return { ...result, content: markedForModel(result.content) };
}

/** Index of the first entry of the latest run, if it is that one; else nothing is in scope. */
function beginOfRun(entries: readonly TranscriptEntry[], runId: string): number {
  let begin = entries.length;
  while (entries[begin - 1]?.runId === runId) begin -= 1;
  return begin;
}

/** The last turns before an entry, oldest first: those that were answered, as many as fit. */
function earlierTurns(transcript: Transcript, before: number): PromptMessage[] {
  const { entries, answers } = transcript;
  const messages: PromptMessage[] = [];
  let bytes = 0;
  for (let index = before - 1; index >= 0 && messages.length < 2 * earlierTurnsMax; index -= 1) {
    const { message, runId, stepId } = entries[index] as TranscriptEntry;
    // What a node was reminded of was said by nobody.
    if (message.role !== 'user' || stepId !== '') continue;
    const text = outputText(answers.get(runId) ?? [], (revision) => transcript.textAt(revision));
    if (text === '') continue;
    bytes += byteLength(message.text) + byteLength(text);
    if (bytes > earlierTurnsBytesMax) break;
    messages.unshift(message, { role: 'assistant', text, calls: [], provider: '', opaque: new Uint8Array() });
  }
  return messages;
}
