import { conversationStream, parseStreamName, pushStream, type StreamName } from '@stopgo/core';
import { pageEventsMax } from './bounds.ts';
import type { EventLog } from './event-log.ts';
import { Problems } from './problems.ts';
import type { Views } from './views.ts';

/**
 * Looks for what the log as a whole has lost: a stream that is gone leaves nothing that a verification of streams could meet. It
 * reads numbers and names, no events. Throws what the signal aborts with.
 */
export async function verifyLog(log: EventLog, views: Views, signal: AbortSignal): Promise<readonly string[]> {
  const problems = new Problems();
  for await (const loss of log.lost(signal)) {
    problems.add(loss);
    if (problems.full) return problems.found;
  }
  const shown = views.position();
  const last = await log.lastPosition();
  if (shown > last)
    problems.add(`the views have seen the log up to position ${shown}, and it ends at ${last}: its end was cut off`);
  const gone = async (
    streamOf: (id: string) => StreamName,
    idsAfter: (after: string) => readonly string[],
    what: string,
  ): Promise<void> => {
    for await (const stream of withoutEvents(log, signal, streamOf, idsAfter)) {
      problems.add(`${stream}: ${what}`);
      if (problems.full) return;
    }
  };
  await gone(
    conversationStream,
    (after) => views.storedIds(after, pageEventsMax),
    'the views show this conversation, and its events are gone',
  );
  await gone(
    pushStream,
    (after) => views.storedPushIds(after, pageEventsMax),
    'the views show who is told of this conversation, and these events are gone',
  );
  await gone(
    parseStreamName,
    (after) => views.storedPersonStreams(after, pageEventsMax),
    'the views show this user or API key, and its events are gone',
  );
  return problems.found;
}

/** The streams of ids that the log does not have. Others are served between the pages: neither log nor views wait for anything here. */
async function* withoutEvents(
  log: EventLog,
  signal: AbortSignal,
  streamOf: (id: string) => StreamName,
  idsAfter: (after: string) => readonly string[],
): AsyncGenerator<StreamName, void> {
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const ids = idsAfter(after);
    const last = ids.at(-1);
    if (last === undefined) return;
    for (const id of ids) if ((await log.head(streamOf(id))) === undefined) yield streamOf(id);
    after = last;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
