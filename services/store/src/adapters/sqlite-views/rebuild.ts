import { conversationOfStream, dataLoss, decodeRecorded, type RecordedFact, type StreamName } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { rebuildEventsPerBatch, rebuildProgressMs } from '../../bounds.ts';
import type { LoggedEvent } from '../../event-log.ts';
import type { Projection } from '../../views.ts';
import type { SqlDatabase } from '../sqlite/database.ts';

export type CatchUpParts = {
  readonly database: SqlDatabase;
  readonly projection: Projection;
  /** A page of the log after a position; empty at its end. */
  readonly readAll: (afterPosition: number, limit: number) => Promise<readonly LoggedEvent[]>;
  readonly lastPosition: number;
  readonly log: Logger;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
};

/**
 * Brings the views from their checkpoint to the end of the log, in bounded transactions: what one has written stays
 * written when the process dies in the next.
 */
export async function catchUp(parts: CatchUpParts): Promise<void> {
  const { projection, log, now, lastPosition } = parts;
  const start = projection.checkpoint();
  if (start >= lastPosition) return;
  log.info('making the views from the event log', { from: start, to: lastPosition });
  let shown = now();
  for (;;) {
    const events = await parts.readAll(projection.checkpoint(), rebuildEventsPerBatch);
    if (events.length === 0) break;
    applyBatch(parts, events);
    if (now() - shown >= rebuildProgressMs) {
      shown = now();
      log.info('making the views from the event log', { at: projection.checkpoint(), to: lastPosition });
    }
    // Lets signals and other work of the process through.
    await new Promise((resolve) => setImmediate(resolve));
  }
  log.info('the views are made', { position: projection.checkpoint() });
}

/** Applies events of the log in one transaction; those at or before the checkpoint are skipped. */
export function applyBatch(
  { database, projection }: Pick<CatchUpParts, 'database' | 'projection'>,
  events: readonly LoggedEvent[],
): void {
  const batch = projection.begin();
  let last = projection.checkpoint();
  for (const { stream, facts, position, end } of runsOf(events, last)) {
    if (facts.length > 0) batch.add(stream, facts, position);
    last = end;
  }
  database.exec('BEGIN IMMEDIATE');
  try {
    batch.write(last);
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction()) database.exec('ROLLBACK');
    projection.forget();
    throw error;
  }
  batch.committed();
}

type Run = { readonly stream: StreamName; readonly facts: RecordedFact[]; readonly position: number; end: number };

/** Events of one stream that follow each other, so that they are folded together. */
function runsOf(events: readonly LoggedEvent[], after: number): readonly Run[] {
  const runs: Run[] = [];
  for (const { stream, event } of events) {
    const position = Number(event.position);
    if (position <= after) continue;
    let run = runs.at(-1);
    if (run?.stream !== stream) {
      run = { stream, facts: [], position, end: position };
      runs.push(run);
    }
    if (conversationOfStream(stream) !== undefined) run.facts.push(factOf(stream, event));
    run.end = position;
  }
  return runs;
}

function factOf(stream: StreamName, event: LoggedEvent['event']): RecordedFact {
  try {
    return decodeRecorded(event);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw dataLoss(
      `event ${event.position} of the log, in ${stream}, cannot be read (${reason}); restore the log from a backup`,
      {},
      { cause },
    );
  }
}
