import type { StreamName } from '@stopgo/core';
import { catchUpBytesMax, catchUpEventsMax, pageEventsMax } from '../../bounds.ts';
import type { AppendOutcome, EventLog, RecordedEvent, StreamAppend, StreamEvent } from '../../event-log.ts';
import type { LiveEvents } from '../../live-events.ts';
import { brokenSeals } from './append-seal.ts';
import type { SqlDatabase } from './database.ts';
import { GroupCommit, type GroupCommitParts } from './group-commit.ts';
import type { LogTables } from './log-tables.ts';
import { lostRows } from './lost-rows.ts';
import type { StreamHeads } from './stream-heads.ts';

/** Ends the names that start with a prefix: higher than any character of a stream name. */
const afterAnyName = '\u007f';

/** `database`: what is read of the file as a whole. */
export type SqliteEventLogParts = GroupCommitParts & { readonly database: SqlDatabase };

/** The event log in one SQLite file that belongs to this process. */
export class SqliteEventLog implements EventLog {
  readonly #parts: SqliteEventLogParts;
  readonly #tables: LogTables;
  readonly #heads: StreamHeads;
  readonly #live: LiveEvents;
  readonly #observe: GroupCommitParts['observe'];
  readonly #commits: GroupCommit;

  constructor(parts: SqliteEventLogParts) {
    this.#parts = parts;
    this.#tables = parts.tables;
    this.#heads = parts.heads;
    this.#live = parts.live;
    this.#observe = parts.observe;
    this.#commits = new GroupCommit(parts);
  }

  append(append: StreamAppend): Promise<AppendOutcome> {
    return this.#commits.append(append);
  }

  async read(stream: StreamName, fromRevision: number, limit: number) {
    const head = this.#heads.get(stream);
    if (head === undefined) return { events: [], headRevision: 0 };
    const page = this.#tables.streamPage(head.id, fromRevision, Math.min(limit, pageEventsMax));
    this.#observe({ kind: 'stream-read', stream, fromRevision, events: page.length });
    return { events: page, headRevision: head.revision };
  }

  async head(stream: StreamName) {
    return this.#heads.get(stream);
  }

  async keys(stream: StreamName, keys: readonly string[]) {
    const head = keys.length === 0 ? undefined : this.#heads.get(stream);
    if (head === undefined) return [];
    return keys.map((key) => this.#tables.key(head.id, key)).filter((known) => known !== undefined);
  }

  async allKeys(stream: StreamName, afterKey: string, limit: number) {
    const head = this.#heads.get(stream);
    return head === undefined ? [] : this.#tables.keysAfter(head.id, afterKey, limit);
  }

  async readAll(afterPosition: number, limit: number) {
    return this.#tables.logPage(afterPosition, limit);
  }

  async lastPosition() {
    return this.#heads.lastPosition;
  }

  async streams(prefix: string, after: string, limit: number) {
    return this.#tables.streamNames(prefix, prefix + afterAnyName, after, limit);
  }

  /** Its index is the log, so nothing can differ from that; but what is kept of an append must fit its seal. */
  async *differences(stream: StreamName, signal: AbortSignal): AsyncGenerator<string, void> {
    const head = this.#heads.get(stream);
    if (head !== undefined) yield* brokenSeals(this.#tables, stream, head.id, signal);
  }

  /** Positions are given one by one, and none of a commit that failed is used up: they have no gaps. */
  async *lost(signal: AbortSignal): AsyncGenerator<string, void> {
    yield* lostRows(this.#parts.database, signal);
  }

  async *follow(stream: StreamName, fromRevision: number, signal: AbortSignal): AsyncGenerator<RecordedEvent, void> {
    let next = Math.max(1, fromRevision);
    while (!signal.aborted) {
      const stored = this.#stored(stream, next);
      // Nothing is awaited between a read that found nothing and this wait: no event can come in between.
      const events = stored.length > 0 ? stored : await this.#live.next(stream, signal);
      for (const { event, revision } of events ?? []) {
        if (signal.aborted) return;
        if (revision !== next) continue;
        yield event;
        next++;
      }
    }
  }

  async *subscribe(afterPosition: number, prefix: string, signal: AbortSignal): AsyncGenerator<RecordedEvent, void> {
    let last = afterPosition;
    while (!signal.aborted) {
      const stored = this.#tables.logPage(last, catchUpEventsMax, catchUpBytesMax);
      const events = stored.length > 0 ? stored : await this.#live.next(undefined, signal);
      for (const { event, stream } of events ?? []) {
        if (signal.aborted) return;
        last = Number(event.position);
        if (stream.startsWith(prefix)) yield event;
      }
      // A long stretch of other streams' events must not hold up everybody else.
      if (stored.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Refuses appends from now on, commits what waits, then ends every stream and lets go of the file. */
  async close(): Promise<void> {
    await this.#commits.close();
    this.#live.close();
    await this.#parts.writer.close();
  }

  #stored(stream: StreamName, from: number): readonly StreamEvent[] {
    const head = this.#heads.get(stream);
    if (head === undefined || head.revision < from) return [];
    return this.#tables.streamPage(head.id, from, catchUpEventsMax, catchUpBytesMax);
  }
}
