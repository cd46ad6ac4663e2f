import type { StreamName } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { noBlobs } from '../blob-store.ts';
import type { DiskCondition } from '../disk-condition.ts';
import { noKeys } from '../key-store.ts';
import { LiveEvents } from '../live-events.ts';
import type { Observe } from '../observe.ts';
import { AlternatingWriter, type AlternatingWriterParts } from './sqlite/alternating-writer.ts';
import { hasBlobs, SqliteBlobStore } from './sqlite/blob-store.ts';
import { type CommitTime, commitTime } from './sqlite/commit-time.ts';
import type { SqlDatabase } from './sqlite/database.ts';
import { SqliteEventLog } from './sqlite/event-log.ts';
import { type WrittenFile, writeSettings } from './sqlite/file.ts';
import { hasKeys, SqliteKeyStore } from './sqlite/key-store.ts';
import { logTables } from './sqlite/log-tables.ts';
import { PinnedReader } from './sqlite/pinned-reader.ts';
import { RecordedWrites } from './sqlite/recorded-writes.ts';
import { StreamHeads } from './sqlite/stream-heads.ts';
import { type TransactionWriter, writingAtOnce } from './sqlite/transaction-writer.ts';
import { HotConversations } from './sqlite-views/hot-conversations.ts';
import { SqliteProjection } from './sqlite-views/projection.ts';
import { refolding } from './sqlite-views/refold.ts';
import { viewTables } from './sqlite-views/view-tables.ts';
import { SqliteViews } from './sqlite-views/views.ts';

/** The log and the views of one open file, in which each append and its rows are one transaction. */
export type EmbeddedParts = ReturnType<typeof embeddedParts>;

/** What an open file is read and written through. */
export type EmbeddedFile = {
  /** Reads the tables of log and views, and writes them inside {@link TransactionWriter.write}. */
  readonly database: SqlDatabase;
  readonly writer: TransactionWriter;
  /** Reads and writes blobs. */
  readonly ofBlobs: SqlDatabase;
  /** Throws where nothing must be written any more. */
  readonly checkPlace: () => void;
};

/** A file that this process writes: by a thread, while several append at once. `startThread`: see {@link AlternatingWriterParts}. */
export function writtenByThread(
  { database: direct, path, place, checkPlace }: WrittenFile,
  log: Logger,
  startThread?: AlternatingWriterParts['startThread'],
): EmbeddedFile {
  const reader = new PinnedReader(direct.toRead());
  const recorded = new RecordedWrites(direct, reader);
  // The thread moves commits into the file when it has answered.
  const settings = [...writeSettings('FULL'), 'wal_autocheckpoint = 0'];
  const writer = new AlternatingWriter({ recorded, direct, reader, file: path, place, settings, log, startThread });
  return { database: recorded.database, writer, ofBlobs: direct, checkPlace };
}

/** A file that is only read, or that one connection reads and writes. */
export function ofOneConnection(database: SqlDatabase, checkPlace: () => void = () => undefined): EmbeddedFile {
  return { database, writer: writingAtOnce(database), ofBlobs: database, checkPlace };
}

export function embeddedParts(
  { database, writer, ofBlobs, checkPlace }: EmbeddedFile,
  log: Logger,
  observe: Observe,
  /** Is told of commits that failed; without it nothing is known of the disk. */
  disk: Pick<DiskCondition, 'failed'> = { failed: () => false },
  time: CommitTime = commitTime,
) {
  const tables = logTables(database);
  const heads = new StreamHeads(tables);
  const ofViews = viewTables(database);
  const read = (stream: StreamName, from: number, limit: number) => {
    const head = heads.get(stream);
    return head === undefined ? [] : tables.streamPage(head.id, from, limit);
  };
  const hot = new HotConversations(ofViews, refolding({ database, tables: ofViews, read, log }));
  const projection = new SqliteProjection(ofViews, hot);
  const events = new SqliteEventLog({
    ...{ database, writer, tables, heads, projection, log, observe, disk, checkPlace, time },
    live: new LiveEvents(),
  });
  const { allSetAside } = ofViews;
  // A file that only an older release has written, opened to read.
  const blobs = hasBlobs(ofBlobs) ? new SqliteBlobStore(ofBlobs, disk) : noBlobs;
  const keys = hasKeys(ofBlobs) ? new SqliteKeyStore(ofBlobs) : noKeys;
  return { heads, projection, events, blobs, keys, views: new SqliteViews(ofViews, hot), allSetAside };
}
