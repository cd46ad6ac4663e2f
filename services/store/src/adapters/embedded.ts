import type { StreamName } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { noBlobs } from '../blob-store.ts';
import type { DiskCondition } from '../disk-condition.ts';
import { LiveEvents } from '../live-events.ts';
import type { Observe } from '../observe.ts';
import { hasBlobs, SqliteBlobStore } from './sqlite/blob-store.ts';
import type { SqlDatabase } from './sqlite/database.ts';
import { SqliteEventLog } from './sqlite/event-log.ts';
import { logTables } from './sqlite/log-tables.ts';
import { StreamHeads } from './sqlite/stream-heads.ts';
import { HotConversations } from './sqlite-views/hot-conversations.ts';
import { SqliteProjection } from './sqlite-views/projection.ts';
import { refolding } from './sqlite-views/refold.ts';
import { viewTables } from './sqlite-views/view-tables.ts';
import { SqliteViews } from './sqlite-views/views.ts';

/** The log and the views of one open file, in which each append and its rows are one transaction. */
export type EmbeddedParts = ReturnType<typeof embeddedParts>;

export function embeddedParts(
  database: SqlDatabase,
  log: Logger,
  observe: Observe,
  /** Is told of commits that failed; without it nothing is known of the disk. */
  disk: Pick<DiskCondition, 'failed'> = { failed: () => false },
  /** Throws where nothing must be written any more. */
  checkPlace: () => void = () => undefined,
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
    database,
    tables,
    heads,
    projection,
    live: new LiveEvents(),
    log,
    observe,
    disk,
    checkPlace,
  });
  const { allSetAside } = ofViews;
  // A file that only an older release has written, opened to read.
  const blobs = hasBlobs(database) ? new SqliteBlobStore(database, disk) : noBlobs;
  return { heads, projection, events, blobs, views: new SqliteViews(ofViews, hot), allSetAside };
}
