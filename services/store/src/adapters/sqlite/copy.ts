import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlDatabase } from './database.ts';

const ownerOnly = 0o600;

/**
 * Writes what a connection sees into a new file of a folder, whole and on disk, and gives its path. The connection's own
 * transaction is ended; what it sees next may be newer.
 *
 * @throws DomainError if it cannot be written, Error if the file is there already.
 */
export function copyDatabase(database: SqlDatabase, folder: string, name = 'stopgo.db'): string {
  const copy = join(folder, name);
  // An empty file is taken for none, and keeps the rights that it was made with.
  closeSync(openSync(copy, 'wx', ownerOnly));
  if (database.inTransaction()) database.exec('COMMIT');
  database.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`);
  for (const written of [copy, folder]) sync(written);
  return copy;
}

function sync(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
