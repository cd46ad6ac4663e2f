// Tasks and events of any dialect, read into the model: their JSON is rewritten into that of version 1.0, which the SDK reads.

import { Message, StreamResponse, Task } from '@a2a-js/sdk';
import { isObject } from '../dialect.ts';

/** Reads a task as an agent of 1.0, of 0.3 or of before sends it. @throws Error for what is none. */
export function readAnyTask(json: unknown): Task {
  const task = isObject(json) && isObject(json.task) ? json.task : json;
  if (!isObject(task) || typeof task.id !== 'string' || task.id === '') throw new Error('the answer holds no task');
  return Task.fromJSON(renewed(task));
}

/**
 * Reads what an agent answers a message with: a task, or a message in its place, which has no task. @throws Error for what is neither.
 */
export function readAnyAnswer(json: unknown): Task | Message {
  const said = isObject(json) ? (json.message ?? json.msg ?? json) : json;
  if (!isObject(said) || !('messageId' in said)) return readAnyTask(json);
  return Message.fromJSON(renewed(said));
}

/** Reads one event of a stream, with or without the envelope of JSON-RPC around it. @throws Error for what is none. */
export function readAnyEvent(json: unknown): StreamResponse {
  if (!isObject(json)) throw new Error('the event is no object');
  if (isObject(json.msg)) return StreamResponse.fromJSON({ message: renewed(json.msg) });
  for (const name of ['statusUpdate', 'artifactUpdate', 'task', 'message'] as const)
    if (isObject(json[name])) return StreamResponse.fromJSON({ [name]: renewed(json[name]) });
  switch (json.kind) {
    case 'status-update':
      return StreamResponse.fromJSON({ statusUpdate: renewed(json) });
    case 'artifact-update':
      return StreamResponse.fromJSON({ artifactUpdate: renewed(json) });
    case 'task':
    case 'message':
      return StreamResponse.fromJSON({ [json.kind]: renewed(json) });
    default:
      throw new Error('the event is neither a task, a message, a status nor an artifact');
  }
}

/** The members that hold whatever anybody wants: nothing in them is ours to rewrite. */
const free = new Set(['metadata', 'data']);

function renewed(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(renewed);
  if (!isObject(json)) return json;
  if (json.kind === 'file' && isObject(json.file)) return filePart(json.file);
  const { kind: _, type: __, artifact, ...rest } = json;
  // The dialect before 0.3 has one artifact, without an id; an event of an artifact has one, too.
  const isOld = isObject(artifact) && !('artifacts' in json) && !('taskId' in json);
  const artifacts = isOld ? { artifacts: [{ artifactId: 'artifact', ...artifact }] } : { artifact };
  return Object.fromEntries(
    Object.entries({ ...rest, ...(artifact === undefined ? {} : artifacts) }).map(([name, value]) => [
      name,
      free.has(name) ? value : member(name, value),
    ]),
  );
}

function member(name: string, value: unknown): unknown {
  if (name === 'state' && typeof value === 'string' && !value.startsWith('TASK_STATE_'))
    return `TASK_STATE_${value.replaceAll('-', '_').toUpperCase()}`;
  if (name === 'role' && typeof value === 'string' && !value.startsWith('ROLE_')) return `ROLE_${value.toUpperCase()}`;
  // The status of old says what it says in a plain text.
  if (name === 'message' && typeof value === 'string')
    return { messageId: 'status', role: 'ROLE_AGENT', parts: [{ text: value }] };
  return renewed(value);
}

function filePart({ name, mimeType, uri, bytes }: Readonly<Record<string, unknown>>): object {
  return { filename: name ?? '', mediaType: mimeType ?? '', ...(bytes === undefined ? { url: uri } : { raw: bytes }) };
}
