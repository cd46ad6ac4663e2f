import { existsSync, statSync } from 'node:fs';
import { DomainError, failedPrecondition } from '@stopgo/core';
import { lockForReading, lockForWriting } from './data-directory.ts';
import { integer, openDatabase, type SqlDatabase } from './database.ts';
import { addSeals, hasSeals, logSchema } from './log-tables.ts';

/** Version of the log's tables. Views have their own: they can be made anew, the log cannot. */
const logVersion = 1;

/** Pages between two checkpoints: at the default of 1,000 the slowest commits take three times as long. */
const pagesPerCheckpoint = 4_000;
const cacheKibibytes = 16 * 1024;
const walBytesKept = 64 * 1024 * 1024;

/** An open file of a data directory that this process has locked. */
export type OpenFile = { readonly database: SqlDatabase; close(): void };

/**
 * Opens the file of a data directory for this process alone, and creates what is not there.
 *
 * @throws DomainError with one line that names the directory and what to do.
 */
export function openFile(dataDir: string): OpenFile {
  const directory = lockForWriting(dataDir);
  const file = opened(dataDir, directory.unlock, () => {
    // Acknowledged means durable: each commit waits for the disk, whatever the library's default is.
    const database = openToWrite(directory.databaseFile, 'FULL');
    checkVersion(database, dataDir);
    database.exec(`BEGIN IMMEDIATE; ${logSchema}`);
    if (!hasSeals(database)) database.exec(addSeals);
    database.exec(`PRAGMA user_version = ${logVersion}; COMMIT`);
    return database;
  });
  return emptiedAtClose(file);
}

/**
 * Opens the file of a replica's views for this process alone: all in it can be made anew from a log that is elsewhere, so
 * that no commit waits for the disk. It is empty if it was not there.
 *
 * @throws DomainError with one line that names the directory and what to do.
 */
export function openViewsFile(dataDir: string): OpenFile {
  const directory = lockForWriting(dataDir, 'views.db');
  return emptiedAtClose(opened(dataDir, directory.unlock, () => openToWrite(directory.databaseFile, 'NORMAL')));
}

function openToWrite(file: string, synchronous: 'FULL' | 'NORMAL'): SqlDatabase {
  const database = openDatabase(file, 'write');
  const settings = [
    'journal_mode = WAL',
    `synchronous = ${synchronous}`,
    `wal_autocheckpoint = ${pagesPerCheckpoint}`,
    `journal_size_limit = ${walBytesKept}`,
    `cache_size = -${cacheKibibytes}`,
    'temp_store = MEMORY',
  ];
  for (const setting of settings) database.exec(`PRAGMA ${setting}`);
  return database;
}

function emptiedAtClose({ database, close }: OpenFile): OpenFile {
  return {
    database,
    close() {
      emptyWal(database);
      close();
    },
  };
}

/** Moves all commits into the file itself, so that it is whole without the log beside it. */
function emptyWal(database: SqlDatabase): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Nothing is lost: the next start reads the log beside the file.
  }
}

/**
 * Opens the file of a data directory that no process uses, to read. Nothing in it is changed.
 *
 * @throws DomainError with one line that names the directory and what to do.
 */
export function openFileReadOnly(dataDir: string): OpenFile {
  const directory = lockForReading(dataDir);
  return opened(dataDir, directory.unlock, () => {
    const wal = `${directory.databaseFile}-wal`;
    // After a crash the log beside the file holds commits that belong to it; after a clean stop there is none.
    const crashed = existsSync(wal) && statSync(wal).size > 0;
    const database = openDatabase(directory.databaseFile, crashed ? 'read' : 'read-immutable');
    checkVersion(database, dataDir);
    return database;
  });
}

function opened(dataDir: string, unlock: () => void, open: () => SqlDatabase): OpenFile {
  try {
    const database = open();
    return {
      database,
      close() {
        database.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    if (!(error instanceof DomainError) || error.kind === 'failed_precondition') throw error;
    const { kind, message } = error;
    throw new DomainError(kind, `the data directory ${dataDir} cannot be opened: ${message}`, { cause: error });
  }
}

function checkVersion(database: SqlDatabase, dataDir: string): void {
  const version = database.one('PRAGMA user_version', (row) => integer(row, 0))() ?? 0;
  if (version <= logVersion) return;
  database.close();
  throw failedPrecondition(
    `the data directory ${dataDir} was written by a newer version (${version}; this one knows ${logVersion}); update this program`,
  );
}
