import {
  conversationOfPush,
  conversationOfStream,
  decodeRecorded,
  isPersonStream,
  type RecordedFact,
  type StreamName,
} from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { damageReasonCharactersMax, rebuildEventsPerBatch, rebuildProgressMs } from '../../bounds.ts';
import type { LoggedEvent } from '../../event-log.ts';
import type { Folded, Projection, ProjectionBatch } from '../../views.ts';
import { isFailureOfFile, type SqlDatabase } from '../sqlite/database.ts';

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
 * written when the process dies in the next. A conversation whose events cannot be folded is set aside; the others are not
 * harmed.
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
  for (const { stream, events: some, end } of runsOf(events, last)) {
    addOrSetAside(batch, stream, some, Number(some[0]?.event.position));
    last = end;
  }
  database.exec('BEGIN IMMEDIATE');
  try {
    batch.write();
    projection.moveTo(last);
    database.exec('COMMIT');
  } catch (error) {
    projection.forget();
    if (database.inTransaction()) database.exec('ROLLBACK');
    throw error;
  }
  batch.committed();
}

/** Events of one stream that follow each other, so that they are folded together. */
type Run = { readonly stream: StreamName; readonly events: LoggedEvent[]; end: number };

function runsOf(events: readonly LoggedEvent[], after: number): readonly Run[] {
  const runs: Run[] = [];
  for (const one of events) {
    const position = Number(one.event.position);
    if (position <= after) continue;
    let run = runs.at(-1);
    if (run?.stream !== one.stream) {
      run = { stream: one.stream, events: [], end: position };
      runs.push(run);
    }
    run.events.push(one);
    run.end = position;
  }
  return runs;
}

/** What is known of events that were checked before they were appended. */
export type KnownFacts = { readonly facts: readonly RecordedFact[]; readonly folded: Folded | undefined };

/**
 * Adds events of one stream that follow each other. If they cannot be folded, the conversation is set aside; what it was set
 * aside for is given. Throws for a failure that is not the events'.
 */
export function addOrSetAside(
  batch: ProjectionBatch,
  stream: StreamName,
  events: readonly LoggedEvent[],
  key: number,
  known?: KnownFacts,
): string | undefined {
  const first = events[0];
  if (first === undefined || !isFolded(stream) || batch.isSetAside(stream)) return undefined;
  let blamed = first;
  try {
    const facts: RecordedFact[] = [];
    if (known === undefined)
      for (const one of events) {
        blamed = one;
        facts.push(factOf(one));
      }
    blamed = first;
    batch.add(stream, known?.facts ?? facts, key, known?.folded);
    return undefined;
  } catch (error) {
    // A failure of the file is not the event's.
    if (isFailureOfFile(error)) throw error;
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, damageReasonCharactersMax);
    batch.setAside(stream, { position: Number(blamed.event.position), revision: blamed.revision, reason });
    return reason;
  }
}

/** True for the streams that views are made from. */
export const isFolded = (stream: StreamName): boolean =>
  conversationOfStream(stream) !== undefined || conversationOfPush(stream) !== undefined || isPersonStream(stream);

function factOf({ stream, revision, event }: LoggedEvent): RecordedFact {
  const fact = decodeRecorded(event);
  if (fact.stream !== stream || fact.revision !== revision)
    throw new Error(`its bytes say event ${fact.revision} of ${JSON.stringify(fact.stream)}`);
  return fact;
}
