/** What an agent waits for, read from the message of its task's state. */
import { byteLength, keyOfWords, type RemoteQuestion, remoteQuestionsMax, taskWordBytesMax } from '@stopgo/core';
import { isObject } from '../models/json.ts';
import { textOfJson } from './json-text.ts';
import type { TaskState } from './remote-answer.ts';

/** The message of a task's state, in whichever dialect. */
export type StatusMessage = {
  /** Empty if it has none. */
  readonly id: string;
  readonly text: string;
  /** When the task came into its state, in the agent's own words; empty if it does not say. */
  readonly time: string;
  /** The contents of its data parts. */
  readonly data: readonly unknown[];
};

/**
 * The questions that a message asks. A data part with an `approval_id` is one, in whatever words the rest of the message is;
 * without any, the text is the question. A task that waits for a token asks for that too. Their words are whole here: see
 * `cutQuestions`.
 */
export function questionsIn(state: TaskState, message: StatusMessage): readonly RemoteQuestion[] {
  if (state !== 'input-required' && state !== 'auth-required') return [];
  const { text } = message;
  const shown = message.data.flatMap((one) => shownQuestion(one, text)).slice(0, remoteQuestionsMax);
  const said = { key: keyOf(message), prompt: text };
  if (state === 'auth-required') return [{ ...said, key: `auth ${said.key}`, kind: 'auth' }, ...shown];
  if (shown.length > 0) return shown;
  return [message.data.some(asksForFile) ? onlyDeclined(said) : { ...said, kind: 'approval' }];
}

/** A data part by which an agent of ours asks for a file. */
const asksForFile = (data: unknown): boolean => isObject(data) && 'input_id' in data && data.mode === 'file';

/** What people decide is sent as words, and no file goes along: a yes would be asked again and again, and a no is understood. */
function onlyDeclined({ key, prompt }: Pick<RemoteQuestion, 'key' | 'prompt'>): RemoteQuestion {
  const approval = { id: '', tool: '', server: '', argumentsJson: '', choices: ['reject'], agents: [] };
  return { key, kind: 'approval', prompt: `${noFileFromHere}\n\n${prompt}`, approval };
}

const noFileFromHere =
  '(It asks for a file. No file can be sent to it from here: it can only be declined, or be given the file where its own people answer it.)';

/** Agents of the first days show the approval's id in words. It is no use in an answer, but it tells questions apart. */
const idInWords = /Approval required \(id: ([0-9a-f-]{36})\)/i;

function keyOf({ id, text, time }: StatusMessage): string {
  return idInWords.exec(text)?.[1]?.toLowerCase() ?? keyOfWords(text, id, time);
}

function shownQuestion(data: unknown, text: string): RemoteQuestion[] {
  if (!isObject(data) || typeof data.approval_id !== 'string') return [];
  const id = data.approval_id;
  if (id === '' || byteLength(id) > taskWordBytesMax) return [];
  const word = (name: string): string => (typeof data[name] === 'string' ? data[name] : '');
  const description = word('description');
  // The words of a message are of all its questions, and others when some of them are answered: no part of what is decided.
  const prompt = description === '' && data.arguments === undefined ? text : description;
  const approval = {
    id,
    tool: word('tool'),
    server: word('server'),
    ...argumentsIn(data.arguments),
    choices: words(data.choices),
    agents: words(data.agents),
  };
  return [{ key: id, kind: 'approval', prompt, approval }];
}

/**
 * Arguments that are nested too deep for a text of them are for nobody to approve. The client of A2A has parsed them, and gives no
 * hold of the bytes that came: integers that may have been rounded are marked where they are shown; that `1e-400` became 0 cannot be told.
 */
function argumentsIn(value: unknown): { readonly argumentsJson: string; readonly isUnreadable?: true } {
  if (value === undefined) return { argumentsJson: '' };
  const argumentsJson = textOfJson(value);
  return argumentsJson === undefined ? { argumentsJson: '', isUnreadable: true } : { argumentsJson };
}

function words(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
