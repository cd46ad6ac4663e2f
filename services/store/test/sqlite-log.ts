import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@stopgo/runtime';
import { type EmbeddedFile, embeddedParts, ofOneConnection, writtenByThread } from '../src/adapters/embedded.ts';
import type { AlternatingWriterParts } from '../src/adapters/sqlite/alternating-writer.ts';
import type { CommitTime } from '../src/adapters/sqlite/commit-time.ts';
import type { SqlDatabase } from '../src/adapters/sqlite/database.ts';
import { openFile } from '../src/adapters/sqlite/file.ts';
import { conditionOfViews, resetViews } from '../src/adapters/sqlite-views/schema.ts';
import type { DiskCondition } from '../src/disk-condition.ts';
import type { Observe } from '../src/observe.ts';
import type { LogUnderTest } from './event-log.contract.ts';

/** A logger that says nothing. */
export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

/** A directory of its own for a test. */
export function freshDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'stopgo-store-'));
}

/** The parts of the embedded store on a data directory, as `startStore` puts them together; with `wrap` on one connection. */
export function openParts(
  dataDir: string,
  observe: Observe = () => undefined,
  wrap?: (database: SqlDatabase) => SqlDatabase,
  disk?: Pick<DiskCondition, 'failed'>,
  through: (file: EmbeddedFile) => EmbeddedFile = (file) => file,
  time?: CommitTime,
  startThread?: AlternatingWriterParts['startThread'],
) {
  const file = openFile(dataDir);
  const plain = wrap && ofOneConnection(wrap(file.database), file.checkPlace);
  const embedded = through(plain ?? writtenByThread(file, silent, startThread));
  const { database } = embedded;
  const parts = embeddedParts(embedded, silent, observe, disk, time);
  if (conditionOfViews(database, parts.heads.lastPosition) !== 'sound') resetViews(database);
  return {
    ...parts,
    database,
    async close() {
      await parts.events.close();
      file.close();
    },
  };
}

/** All that is written is written by the thread. */
export const byThread = (file: EmbeddedFile): EmbeddedFile => ({
  ...file,
  writer: { write: (change, made) => file.writer.write(change, made, false), close: () => file.writer.close() },
});

/** The embedded log on a directory of its own. */
export async function openSqliteLog(through?: (file: EmbeddedFile) => EmbeddedFile): Promise<LogUnderTest> {
  const dataDir = freshDirectory();
  const open = () => openParts(dataDir, undefined, undefined, undefined, through);
  let parts = open();
  return {
    log: () => parts.events,
    async reopen() {
      await parts.close();
      parts = open();
    },
    async close() {
      await parts.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
