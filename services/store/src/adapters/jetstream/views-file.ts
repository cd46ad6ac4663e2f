import { sha256Hex } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { inOneStep, integer, type SqlDatabase, sqlCode, text } from '../sqlite/database.ts';
import { conditionOfViews, resetViews } from '../sqlite-views/schema.ts';
import { indexNames, indexTables } from './index-tables.ts';

/** Which log the index and the views are of. */
const metaTable = `
  CREATE TABLE log_meta (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version TEXT NOT NULL,
    log_id TEXT NOT NULL
  ) STRICT;
`;

const version = sha256Hex(metaTable + indexTables).slice(0, 16);
const noLog = '';

/** Sees to it that the file can go on from where it stands: one that cannot is emptied, and the reason said. */
export function prepareViewsFile(database: SqlDatabase, logId: string, log: Logger): void {
  const found = metaOf(database);
  if (found?.version === version && found.logId === logId && conditionOfViews(database) === 'sound') return;
  if (found?.version === version && found.logId !== logId && found.logId !== noLog)
    log.warn('the views are of another event log; they are made anew', { found: found.logId, wanted: logId });
  emptyViewsFile(database, logId);
}

/** Empties the index and the views; both show nothing of the log then. */
export function emptyViewsFile(database: SqlDatabase, logId: string): void {
  // A file that is left in between is of no log, and emptied again.
  inOneStep(database, () => {
    for (const name of ['log_meta', ...indexNames]) database.exec(`DROP TABLE IF EXISTS ${name}`);
    database.exec(metaTable + indexTables);
    database.run('INSERT INTO log_meta (only, version, log_id) VALUES (1, ?, ?)')(version, noLog);
  });
  resetViews(database);
  database.run('UPDATE log_meta SET log_id = ?')(logId);
}

function metaOf(database: SqlDatabase): { readonly version: string; readonly logId: string } | undefined {
  const there = database.one(`SELECT count(*) FROM sqlite_master WHERE name = 'log_meta'`, (row) => integer(row, 0))();
  if (there === 0) return undefined;
  try {
    return database.one('SELECT version, log_id FROM log_meta', (row) => ({
      version: text(row, 0),
      logId: text(row, 1),
    }))();
  } catch (error) {
    // The table of another version has other columns.
    if (sqlCode(error) === 'SQLITE_ERROR') return undefined;
    throw error;
  }
}
