import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@stopgo/runtime';
import { embeddedParts } from '../src/adapters/embedded.ts';
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

/** The parts of the embedded store on a data directory, as `startStore` puts them together. */
export function openParts(
  dataDir: string,
  observe: Observe = () => undefined,
  wrap: (database: SqlDatabase) => SqlDatabase = (database) => database,
  disk?: Pick<DiskCondition, 'failed'>,
) {
  const file = openFile(dataDir);
  const database = wrap(file.database);
  const parts = embeddedParts(database, silent, observe, disk, file.checkPlace);
  if (conditionOfViews(database, parts.heads.lastPosition) !== 'sound') resetViews(database);
  return {
    ...parts,
    database,
    close() {
      parts.events.close();
      file.close();
    },
  };
}

/** The embedded log on a directory of its own. */
export async function openSqliteLog(): Promise<LogUnderTest> {
  const dataDir = freshDirectory();
  let parts = openParts(dataDir);
  return {
    log: () => parts.events,
    async reopen() {
      parts.close();
      parts = openParts(dataDir);
    },
    async close() {
      parts.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
