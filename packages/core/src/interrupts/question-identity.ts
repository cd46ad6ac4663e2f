/**
 * What makes a question of another agent the one that people were asked about: what tells it from others, and all that was
 * shown of it. A yes to one is no yes to another that took its name.
 */

import type { AskedQuestion, CallState } from '../state/state.ts';
import { argumentsBytesMax } from '../text/bounds.ts';
import { sha256Hex } from '../text/digest.ts';
import { canonicalJson, parseJson } from '../text/json.ts';
import type { RemoteQuestion } from './commands.ts';

/** `changed`: something of that name is there, and is not what was shown of it, or not that alone. */
export type QuestionState = 'there' | 'changed' | 'gone';

/** What has become of a question that was asked here, by what the agent shows now. */
export function stateOfQuestion(
  call: CallState,
  asked: AskedQuestion,
  shown: readonly RemoteQuestion[],
): QuestionState {
  const named = shown.filter(({ key }) => isSameKey(asked.key, key));
  if (named.length === 0) return 'gone';
  return named.every((one) => questionDigest(call, one, asked.key) === asked.digest) ? 'there' : 'changed';
}

/**
 * Digest of an attempt and all that an agent shows of its question: its names, its words, the arguments and the agents between.
 * Empty for one that only wants a token, which is sent to nobody but the agent. Undefined for what has no canonical form, or is
 * not told because of a token in it.
 */
export function questionDigest(
  { id, attempt, tool: called }: CallState,
  { kind, key: shownKey, prompt, holdsToken, approval }: RemoteQuestion,
  key = shownKey,
): string | undefined {
  if (kind === 'auth') return '';
  if (holdsToken || approval?.isUnreadable) return undefined;
  const { argumentsJson = '' } = approval ?? {};
  // What is too long to be shown can only be declined: it is told from others by its text, which costs little however long.
  const parsed = argumentsJson.length > argumentsBytesMax ? undefined : parseJson(argumentsJson);
  const shown = {
    ...{ v: 3, call: id, attempt, key, id: approval?.id ?? '', choices: choicesOf(approval?.choices ?? []) },
    ...{ tool: wellFormed(approval?.tool || called), server: wellFormed(approval?.server ?? '') },
    ...{ agents: (approval?.agents ?? []).map(wellFormed), text: wellFormed(prompt) },
    ...(parsed === undefined ? { argumentsDigest: sha256Hex(argumentsJson) } : { arguments: parsed }),
  };
  try {
    return sha256Hex(canonicalJson(shown));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const doubtChoices = ['run_again', 'happened', 'give_up'];

/**
 * What may be decided. An agent of ours asks about calls in doubt with words of their own, and offers only a no where it could
 * not show everything; whatever others name, it is a yes or a no.
 */
export function choicesOf(shown: readonly string[]): readonly string[] {
  const [only] = shown;
  if (shown.length === 1 && (only === 'reject' || only === 'give_up')) return [only];
  return shown.includes('run_again') ? doubtChoices : ['approve', 'reject'];
}

/** With a sign in the place of each half of a surrogate pair. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/**
 * Key of a question that is known by its words alone. The same words are the same question only in the same message, or while
 * the task's state is of the same time: some agents make another message id whenever they are asked.
 */
export function keyOfWords(words: string, messageId: string, time: string): string {
  const mark = (text: string): string => (text === '' ? '' : sha256Hex(text).slice(0, 32));
  return `words ${sha256Hex(words)} ${mark(messageId)} ${mark(time)}`;
}

function isSameKey(one: string, other: string): boolean {
  if (one === other) return true;
  const [kind, words, message, time] = marksOf(one);
  const [otherKind, otherWords, otherMessage, otherTime] = marksOf(other);
  if (words === undefined || kind !== otherKind || words !== otherWords) return false;
  return (message !== '' && message === otherMessage) || (time !== '' && time === otherTime);
}

function marksOf(key: string): readonly (string | undefined)[] {
  return /^((?:auth )?words) ([0-9a-f]{64}) ([0-9a-f]*) ([0-9a-f]*)$/.exec(key)?.slice(1) ?? [];
}
