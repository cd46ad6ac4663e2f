import type { Artifact, Message, Part, StreamResponse, Task } from '@a2a-js/sdk';
import { artifactsMax, partsMax, taskIdBytesMax } from './bounds.ts';
import { textOfJson } from './json-text.ts';
import {
  hasEnded,
  isWaiting,
  type RemoteAnswer,
  type RemoteTaskSeen,
  type TaskState,
  textOfTask,
} from './remote-answer.ts';
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

type Shown = Pick<Task, 'id' | 'contextId' | 'status'> & { readonly artifacts: Iterable<Pick<Artifact, 'parts'>> };

/**
 * What a task shows; its results count once it does not go on by itself.
 *
 * @throws Error if the agent's id for it is none that could be asked about.
 */
export function taskSeen({ id, contextId, status, artifacts }: Shown): RemoteTaskSeen {
  const bytes = Buffer.byteLength(id);
  if (bytes === 0 || bytes > taskIdBytesMax) throw new Error(`the agent names a task by ${bytes} bytes`);
  const state = stateNumbers[status?.state ?? 0] ?? 'unknown';
  const isAtRest = hasEnded(state) || isWaiting(state);
  const results = (isAtRest ? [...artifacts] : []).map(({ parts }) => textOfParts(parts)).filter((text) => text !== '');
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

/** A task as its stream tells it, put together. An event costs what it holds, however much came before it. */
export class StreamedTask {
  #task: Omit<Shown, 'artifacts'> | undefined;
  /** The parts of each artifact, by its id, in the order in which they began. */
  readonly #artifacts = new Map<string, Part[]>();
  #parts = 0;

  /**
   * What is known after one more event; undefined if that is nothing new.
   *
   * @throws Error for more artifacts or parts than are put together.
   */
  after({ payload }: StreamResponse): RemoteAnswer | undefined {
    switch (payload?.$case) {
      case 'message':
        return answerSeen(payload.value);
      case 'task': {
        const { id, contextId, status, artifacts } = payload.value;
        this.#task = { id, contextId, status };
        this.#artifacts.clear();
        this.#parts = 0;
        for (const artifact of artifacts) this.#put(artifact, false);
        break;
      }
      case 'statusUpdate': {
        const { taskId, contextId, status } = payload.value;
        const known = this.#known(taskId, contextId);
        this.#task = { ...known, status: status ?? known.status };
        break;
      }
      case 'artifactUpdate': {
        const { taskId, contextId, artifact, append } = payload.value;
        this.#task = this.#known(taskId, contextId);
        if (artifact !== undefined) this.#put(artifact, append);
        // Only a state is told, with whatever results there are by then.
        return undefined;
      }
      case undefined:
        return undefined;
    }
    return { kind: 'task', task: taskSeen({ ...this.#task, artifacts: this.#shown() }) };
  }

  #known(id: string, contextId: string): Omit<Shown, 'artifacts'> {
    return this.#task ?? { id, contextId, status: undefined };
  }

  *#shown(): Generator<Pick<Artifact, 'parts'>> {
    for (const parts of this.#artifacts.values()) yield { parts };
  }

  #put({ artifactId, parts: more }: Artifact, append: boolean): void {
    const before = this.#artifacts.get(artifactId);
    const parts = append && before !== undefined ? before : [];
    this.#parts -= before?.length ?? 0;
    addTo(parts, more);
    this.#parts += parts.length;
    this.#artifacts.set(artifactId, parts);
    if (this.#artifacts.size > artifactsMax) throw new Error(`the agent shows more than ${artifactsMax} artifacts`);
    if (this.#parts > partsMax) throw new Error(`the agent shows results of more than ${partsMax} parts`);
  }
}

/** A piece of text goes on where the one before has ended. */
function addTo(parts: Part[], [next, ...rest]: readonly Part[]): void {
  if (next === undefined) return;
  const last = parts.at(-1);
  if (last?.content?.$case === 'text' && next.content?.$case === 'text') {
    const value = last.content.value + next.content.value;
    parts[parts.length - 1] = { ...last, content: { $case: 'text', value } };
  } else parts.push(next);
  for (const part of rest) parts.push(part);
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
      return textOfJson(content.value) ?? '';
    case 'url':
      return content.value;
    case 'raw':
      return `[${filename === '' ? 'file' : filename}, ${mediaType}, ${content.value.length} bytes]`;
    case undefined:
      return '';
  }
}
