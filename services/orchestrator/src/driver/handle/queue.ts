import {
  argumentsBytesMax,
  byteLength,
  descriptionBytesMax,
  type RunCommand,
  remoteQuestionsBytesMax,
  structuredBytesMax,
  textBytesMax,
} from '@stopgo/core';
import { runDataAnswerBytesMax } from '@stopgo/core/shared-data';

/** What became of a command: on the record, without effect (it did not fit any more), or never taken (not the owner). */
export type Taken = 'applied' | 'ignored' | 'fenced';

type Entry = { readonly command: RunCommand; readonly taken: (how: Taken) => void };

/** What is to be put on the record. */
export const commandOf = ({ command }: Entry): RunCommand => command;

/** Most bytes of contents that one append is filled with; events of fixed size come on top. */
const batchBytesMax = textBytesMax + 2 * argumentsBytesMax;
/** Most commands in one append. */
const batchCommandsMax = 32;

/** Commands of a run that wait for its next append. Fences go first: a call waits for them. */
export class CommandQueue {
  private entries: Entry[] = [];

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** Adds a command; the promise tells what became of it. */
  add(command: RunCommand): Promise<Taken> {
    return new Promise((taken) => this.entries.push({ command, taken }));
  }

  /** Takes the commands of the next append: as many as fit, at least one. */
  next(): readonly Entry[] {
    const ordered = [...this.entries.filter(isFence), ...this.entries.filter((entry) => !isFence(entry))];
    const batch: Entry[] = [];
    let bytes = 0;
    for (const entry of ordered) {
      const size = sizeOf(entry.command);
      if (batch.length > 0 && (bytes + size > batchBytesMax || batch.length === batchCommandsMax)) break;
      batch.push(entry);
      bytes += size;
    }
    this.entries = ordered.slice(batch.length);
    return batch;
  }

  /** Takes back what did not fit the append: it comes first in the next one. */
  putBack(left: readonly Entry[]): void {
    this.entries = [...left, ...this.entries];
  }

  /** Gives every waiting command up. */
  fenceAll(): void {
    for (const entry of this.entries.splice(0)) entry.taken('fenced');
  }
}

function isFence({ command }: Entry): boolean {
  return command.type === 'claim' || command.type === 'startCall' || command.type === 'answerDelegation';
}

/** A result, with all that it holds beside its text. */
function finishedBytes({
  content,
  structuredJson = '',
  blobs = [],
}: Extract<RunCommand, { type: 'callFinished' }>): number {
  const text = Math.min(byteLength(content), textBytesMax);
  return text + Math.min(byteLength(structuredJson), structuredBytesMax) + byteLength(JSON.stringify(blobs));
}

/** What a call is told of shared data. What it writes stands in its arguments, which are on the record. */
function dataBytes({ request: { type } }: Extract<RunCommand, { type: 'useData' }>): number {
  return type === 'read' || type === 'query' || type === 'list' ? runDataAnswerBytesMax : 0;
}

/** Commands whose facts are all of about one size. */
type Small = 'claim' | 'startCall' | 'answerDelegation' | 'answerLost' | 'needToken' | 'callUnauthenticated';

function sizeOf(command: RunCommand): number {
  switch (command.type) {
    case 'modelAnswered':
      return (
        byteLength(command.text) +
        command.opaque.length +
        command.calls.reduce((sum, call) => sum + 2 * byteLength(call.argumentsJson), 0)
      );
    // It may ask a human, like a model's answer.
    case 'delegate':
      return 2 * byteLength(command.message) + descriptionBytesMax;
    // They ask as many people as fit.
    case 'delegationAsked':
      return remoteQuestionsBytesMax + byteLength(command.text);
    case 'callAsked':
      return command.questions.reduce((sum, one) => sum + byteLength(one.message) + byteLength(one.schemaJson), 0);
    case 'delegationUpdated':
      return byteLength(command.text);
    case 'callAgent':
      return (
        byteLength(command.agentsTold ?? '') +
        byteLength(command.memoriesTold ?? '') +
        byteLength(command.stateTold ?? '')
      );
    case 'callFinished':
      return finishedBytes(command);
    case 'useData':
      return dataBytes(command);
    case 'modelFailed':
      return byteLength(command.text) + byteLength(command.message);
    // They ask a human: the append holds a description of the call.
    case 'callUnknown':
      return descriptionBytesMax + 2 * byteLength(command.reason);
    case 'callPinChanged':
      return descriptionBytesMax;
    case 'samplingAnswered':
      return byteLength(command.contentJson) + byteLength(command.error);
    // It is told twice: why the call did not run, and as its result.
    case 'callNotAllowed':
      return 2 * byteLength(command.message);
    case 'callNotStarted':
      return byteLength(command.message);
    default:
      command.type satisfies Small;
      return 0;
  }
}
