import type { Artifact, Message, Part, StreamResponse, Task } from '@a2a-js/sdk';
import { taskIdBytesMax } from './bounds.ts';
import { type RemoteAnswer, type RemoteTaskSeen, type TaskState, textOfTask } from './remote-answer.ts';
import { questionsIn } from './remote-questions.ts';

/** The numbers by which the SDK knows the states of a task: those of the protocol's own definition. */
const stateNumbers: Readonly<Record<number, TaskState>> = {
  1: 'submitted',
  2: 'working',
  3: 'completed',
  4: 'failed',
  5: 'canceled',
  6: 'input-required',
  7: 'rejected',
  8: 'auth-required',
};

/** @throws Error if the agent's id for it is none that could be asked about. */
export function taskSeen({ id, contextId, status, artifacts }: Task): RemoteTaskSeen {
  const bytes = Buffer.byteLength(id);
  if (bytes === 0 || bytes > taskIdBytesMax) throw new Error(`the agent names a task by ${bytes} bytes`);
  const state = stateNumbers[status?.state ?? 0] ?? 'unknown';
  const results = artifacts.map(({ parts }) => textOfParts(parts)).filter((text) => text !== '');
  const text = textOfTask(state, results.join('\n'), textOfMessage(status?.message));
  return { id, contextId, state, text, questions: questionsOf(state, status?.message, status?.timestamp) };
}

function questionsOf(state: TaskState, message: Message | undefined, time = ''): RemoteTaskSeen['questions'] {
  const parts = message?.parts ?? [];
  const data = parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value] : []));
  const texts = parts.filter(({ content }) => content?.$case !== 'data' || data.length === 0);
  return questionsIn(state, { id: message?.messageId ?? '', text: textOfParts(texts), time, data });
}

export function answerSeen(answer: Task | Message): RemoteAnswer {
  return 'messageId' in answer
    ? { kind: 'message', text: textOfMessage(answer) }
    : { kind: 'task', task: taskSeen(answer) };
}

/** A task as its stream tells it, put together. */
export class StreamedTask {
  private task: Task | undefined;

  /** What is known after one more event; undefined if that is nothing new. */
  after({ payload }: StreamResponse): RemoteAnswer | undefined {
    switch (payload?.$case) {
      case 'message':
        return answerSeen(payload.value);
      case 'task':
        this.task = { ...payload.value, artifacts: [...payload.value.artifacts] };
        break;
      case 'statusUpdate': {
        const { taskId, contextId, status } = payload.value;
        const known = this.known(taskId, contextId);
        this.task = { ...known, status: status ?? known.status };
        break;
      }
      case 'artifactUpdate': {
        const { taskId, contextId, artifact, append } = payload.value;
        this.task = this.known(taskId, contextId);
        if (artifact !== undefined) put(this.task.artifacts, artifact, append);
        // Only a state is told, with whatever results there are by then.
        return undefined;
      }
      case undefined:
        return undefined;
    }
    return { kind: 'task', task: taskSeen(this.task) };
  }

  private known(id: string, contextId: string): Task {
    return this.task ?? { id, contextId, status: undefined, artifacts: [], history: [], metadata: undefined };
  }
}

function put(artifacts: Artifact[], artifact: Artifact, append: boolean): void {
  const at = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const before = artifacts[at];
  if (before === undefined) artifacts.push(artifact);
  else artifacts[at] = append ? { ...before, parts: joined(before.parts, artifact.parts) } : artifact;
}

/** A piece of text goes on where the one before has ended. */
function joined(before: readonly Part[], more: readonly Part[]): Part[] {
  const last = before.at(-1);
  const [next, ...rest] = more;
  if (last?.content?.$case !== 'text' || next?.content?.$case !== 'text') return [...before, ...more];
  const value = last.content.value + next.content.value;
  return [...before.slice(0, -1), { ...last, content: { $case: 'text', value } }, ...rest];
}

function textOfMessage(message: Message | undefined): string {
  return message === undefined ? '' : textOfParts(message.parts);
}

function textOfParts(parts: readonly Part[]): string {
  return parts
    .map(textOfPart)
    .filter((text) => text !== '')
    .join('\n');
}

function textOfPart({ content, filename, mediaType }: Part): string {
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return JSON.stringify(content.value);
    case 'url':
      return content.value;
    case 'raw':
      return `[${filename === '' ? 'file' : filename}, ${mediaType}, ${content.value.length} bytes]`;
    case undefined:
      return '';
  }
}
