import { ApiError, newKey, type Sent } from '@stopgo/client';
import { platform } from './platform.ts';

// What was sent and may have been taken, without anybody having been told. It is kept for this tab, also over a reload, so that
// sending it again is the same request to the platform, and is done once.

const prefix = 'stopgo.try.';

/** Something that was sent. */
export type Try = {
  /** What exactly: what else is sent from the same place is another request. */
  readonly content: string;
  readonly key: string;
  /** The revision of the conversation that it was written under. */
  readonly after: number;
};

/** What was sent last from this place, if it is not known to be done. */
export function openTry(place: string): Try | undefined {
  const kept = sessionStorage.getItem(prefix + place);
  return kept === null ? undefined : (JSON.parse(kept) as Try);
}

/** What is to be sent from this place: the try before if the same was sent then and is not known to be done. */
export function tryOf(place: string, content: string, after = 0): Try {
  const before = openTry(place);
  if (before?.content === content) return before;
  const next = { content, key: newKey(), after };
  sessionStorage.setItem(prefix + place, JSON.stringify(next));
  return next;
}

/** It is known to be done: the same, sent once more, is meant anew. */
export const tryIsOver = (place: string): void => sessionStorage.removeItem(prefix + place);

/** Sends something that is done once, however often it has to be sent from this place. @throws as the client does. */
export async function askOnce<Answer>(
  place: string,
  path: string,
  body: string,
  sent: Pick<Sent, 'prefer'> & { readonly content?: string } = {},
): Promise<Answer> {
  const { content = body, ...rest } = sent;
  const { key } = tryOf(place, content);
  try {
    const answer = await platform.connection.ask<Answer>(path, { ...rest, method: 'POST', body, key });
    tryIsOver(place);
    return answer;
  } catch (error) {
    // The key belongs to another request, of somebody else: it leads nowhere.
    if (error instanceof ApiError && error.status === 422) tryIsOver(place);
    throw error;
  }
}
