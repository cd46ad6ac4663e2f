import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DomainError, failedPrecondition } from '@stopgo/core';
import { logPagesMax } from '../../bounds.ts';
import { blobSchema } from './blob-store.ts';
import { lockForReading, lockForWriting } from './data-directory.ts';
import { integer, openDatabase, type SqlDatabase } from './database.ts';
import { keySchema } from './key-store.ts';
import { addSeals, hasSeals, logSchema } from './log-tables.ts';
import { noTemporaryRoomOr } from './no-room.ts';
import { type FilePlace, placeCheckOf, placeOf } from './place-of-file.ts';

/** Version of the log's tables. Views have their own: they can be made anew, the log cannot. */
const logVersion = 1;

const cacheKibibytes = 16 * 1024;
const walBytesKept = 64 * 1024 * 1024;
/** How long a reader waits while the process that writes the file opens or closes it, in milliseconds. */
const busyMs = 5_000;

/** An open file of a data directory that this process has locked. */
export type OpenFile = { readonly database: SqlDatabase; close(): void };

/** One that this process writes. `checkPlace`: see {@link placeCheckOf}. */
export type WrittenFile = OpenFile & {
  readonly path: string;
  readonly place: FilePlace;
  readonly checkPlace: () => void;
};

/**
 * Opens the file of a data directory for this process alone, and creates what is not there.
 *
 * @throws DomainError with one line that names the directory and what to do.
 */
export function openFile(dataDir: string): WrittenFile {
  const directory = lockForWriting(dataDir);
  const file = opened(dataDir, directory.unlock, () => {
    // Acknowledged means durable: each commit waits for the disk, whatever the library's default is.
    const database = openToWrite(directory.databaseFile, 'FULL');
    checkVersion(database, dataDir);
    database.exec(`BEGIN IMMEDIATE; ${logSchema} ${blobSchema} ${keySchema}`);
    if (!hasSeals(database)) database.exec(addSeals);
    database.exec(`PRAGMA user_version = ${logVersion}; COMMIT`);
    return database;
  });
  const { databaseFile: path } = directory;
  const place = placeOf(path);
  return { ...emptiedAtClose(file), path, place, checkPlace: placeCheckOf(path, place) };
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

/** What a connection that writes a file is set to, as PRAGMA takes it. */
export function writeSettings(synchronous: 'FULL' | 'NORMAL'): readonly string[] {
  return [
    'journal_mode = WAL',
    `synchronous = ${synchronous}`,
    `wal_autocheckpoint = ${logPagesMax}`,
    `journal_size_limit = ${walBytesKept}`,
    `cache_size = -${cacheKibibytes}`,
    'temp_store = MEMORY',
    // Two connections of this process may write the same file.
    `busy_timeout = ${busyMs}`,
  ];
}

function openToWrite(file: string, synchronous: 'FULL' | 'NORMAL'): SqlDatabase {
  const database = openDatabase(file, 'write');
  for (const setting of writeSettings(synchronous)) database.exec(`PRAGMA ${setting}`);
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

/** Commits what changes nothing, as an append is committed: it fails if the disk takes nothing. */
export function writeNothing(database: SqlDatabase): void {
  try {
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${logVersion}; COMMIT`);
  } catch (error) {
    if (database.inTransaction()) database.exec('ROLLBACK');
    throw error;
  }
}

/** Moves all commits into the file itself, so that it is whole without the log beside it. */
function emptyWal(database: SqlDatabase): void {
  try {
    // A reader may hold it for as long as it likes.
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Nothing is lost: the next start reads the log beside the file.
  }
}

/**
 * Opens the file of a data directory to read, as it is at this moment: what a process that uses it writes meanwhile is not seen.
 * Nothing in the directory is changed.
 *
 * @throws DomainError with one line that names the directory and what to do.
 */
export function openFileReadOnly(dataDir: string): OpenFile {
  const directory = lockForReading(dataDir);
  const { databaseFile, isInUse, unlock } = directory;
  const file = opened(dataDir, unlock, () => {
    const database = isInUse ? openBeside(databaseFile) : openAtRest(databaseFile, unlock);
    checkVersion(database, dataDir);
    return database;
  });
  return { database: file.database, close: () => closeRead(file) };
}

/** Lets go of what it saw first: a connection that is closed lives on until its statements are collected. */
function closeRead({ database, close }: OpenFile): void {
  if (database.inTransaction()) database.exec('COMMIT');
  close();
}

/** Beside the process that writes it: readers and one writer do not disturb each other, and each commit is seen whole or not at all. */
function openBeside(databaseFile: string): SqlDatabase {
  const database = openDatabase(databaseFile, 'read');
  database.exec(`PRAGMA busy_timeout = ${busyMs}`);
  pin(database);
  return database;
}

/**
 * The file of a directory that nobody writes. After a clean stop, and in a copy that SQLite made, the log beside it is empty or
 * missing. After a crash, and in a snapshot of the file system, it holds commits: taking them up needs to write, which is
 * done in a copy. The directory is not needed any more then.
 */
function openAtRest(databaseFile: string, unlock: () => void): SqlDatabase {
  const wal = walOf(databaseFile);
  if (!existsSync(wal) || statSync(wal).size === 0) return openDatabase(databaseFile, 'read-immutable');
  const folder = temporaryFolder();
  try {
    const copy = join(folder, basename(databaseFile));
    for (const [from, to] of [
      [databaseFile, copy],
      [wal, walOf(copy)],
    ] as const)
      copyFileSync(from, to, constants.COPYFILE_FICLONE);
    unlock();
    const database = openDatabase(copy, 'read');
    pin(database);
    return database;
  } catch (error) {
    throw noTemporaryRoomOr(error);
  } finally {
    // What is open stays open, and is gone with this process however that ends.
    rmSync(folder, { recursive: true });
  }
}

/** From here on the connection sees the commits of now. */
function pin(database: SqlDatabase): void {
  database.exec('BEGIN; SELECT count(*) FROM sqlite_master');
}

const walOf = (databaseFile: string): string => `${databaseFile}-wal`;

/** A folder of our own, for copies that are read and then removed. */
export function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'stopgo-read-'));
  } catch (error) {
    throw noTemporaryRoomOr(error);
  }
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
