import { ApiError } from '@stopgo/client';
import { claimedName, isSignedIn } from '../api/signed-in.ts';
import { askOnce, tryIsOver } from '../api/tries.ts';
import { nameOf } from '../chat/transcript.ts';
import { questionsChanged } from '../state/questions.ts';
import type { Outcome, Question } from './question.ts';

export type Answer =
  | { readonly action: 'accept' | 'decline' | 'cancel' }
  /** The values of a form, as JSON text. */
  | { readonly action: 'accept'; readonly content: string }
  | { readonly action: 'accept'; readonly file: File };

/**
 * Sends an answer, which is taken once however often it is sent. Somebody else may have been first, or nobody is asked any more: that is
 * no error, and what became of the question is given.
 *
 * @throws ApiError, NotReached, or the reason why a file cannot be read, if nothing was taken, or nobody knows.
 */
export async function sendAnswer({ id, conversation }: Question, answer: Answer): Promise<Outcome | undefined> {
  const by = claimedName();
  const said = [`"action":${JSON.stringify(answer.action)}`, ...(by === '' ? [] : [`"by":${JSON.stringify(by)}`])];
  const place = `answer.${id}`;
  const sent = { prefer: 'respond-async, return=minimal' };
  const path = `/conversations/${conversation}/inputs/${id}`;
  try {
    if ('file' in answer) {
      const { name, type, size, lastModified } = answer.file;
      const file = JSON.stringify({ name, media_type: type, base64: await base64Of(answer.file) });
      // What is kept of a try has no room for a file. Another one of that name, size and time is refused under its key, and sent anew.
      const content = [...said, name, type, size, lastModified].join();
      await askOnce(place, path, `{${[...said, `"file":${file}`].join()}}`, { ...sent, content });
    } else {
      const content = 'content' in answer ? [`"content":${answer.content}`] : [];
      await askOnce(place, path, `{${[...said, ...content].join()}}`, sent);
    }
    return undefined;
  } catch (error) {
    const settled = settledBy(error);
    if (settled === undefined) throw error;
    tryIsOver(place);
    return settled;
  } finally {
    questionsChanged();
  }
}

const hows: Readonly<Record<string, Outcome['how']>> = {
  accepted: 'accept',
  declined: 'decline',
  canceled: 'cancel',
  withdrawn: 'withdrawn',
};

function settledBy(error: unknown): Outcome | undefined {
  if (!(error instanceof ApiError) || error.status !== 409 || error.body.reason !== 'settled') return undefined;
  const { how, by, at, why } = error.body;
  const who =
    typeof by === 'string'
      ? nameOf({ kind: 'approver', id: by, ...(isSignedIn() ? {} : { claimed: true }) })
      : 'somebody';
  return {
    ...{ how: hows[String(how)] ?? 'withdrawn', by: who, at: typeof at === 'string' ? at : null },
    ...(typeof why === 'string' ? { why } : {}),
  };
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(new Error('The file cannot be read. Choose it again.'));
    // Behind `data:TYPE;base64,`.
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.readAsDataURL(file);
  });
}
