// Who may use a data directory.
//
// 1. The lock is one of the operating system's, held by an open transaction on a file of its own: it falls when the
//    process ends, however it ends, so that there is no stale lock to clear away.
// 2. A process that opens and closes a locked file in any other way drops its own lock (POSIX): the files are created
//    before they are locked, and never opened otherwise.
// 3. A lock is kept reachable until it is given back: the driver closes what is collected, and its lock with it.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DomainError, failedPrecondition, notFound } from '@stopgo/core';
import { openDatabase, type SqlDatabase, sqlCode } from './database.ts';

const logName = 'stopgo.db';
const directoryMode = 0o700;
const fileMode = 0o600;

const held = new Set<SqlDatabase>();

/** A data directory that is ours until it is unlocked. */
export type LockedDirectory = {
  /** The file with the log and the views, or with the views alone. */
  readonly databaseFile: string;
  /** Gives the directory free. Calling it again changes nothing. */
  unlock(): void;
};

/**
 * Creates the directory if need be and takes it for this process alone, until it is unlocked.
 *
 * @throws DomainError `failed_precondition` with one line that names the directory and what to do.
 */
export function lockDirectory(dataDir: string): Pick<LockedDirectory, 'unlock'> {
  const directory = resolve(dataDir);
  const { lock } = filesOf(directory, logName);
  try {
    makeDirectory(directory);
    createFile(lock);
    return take(directory, lock, 'write', 'BEGIN EXCLUSIVE');
  } catch (error) {
    throw cannotUse(directory, error);
  }
}

/** The same, with the file for the log or the views in it. */
export function lockForWriting(dataDir: string, databaseName = logName): LockedDirectory {
  const { unlock } = lockDirectory(dataDir);
  const directory = resolve(dataDir);
  const { database } = filesOf(directory, databaseName);
  try {
    createFile(database);
    return { databaseFile: database, unlock };
  } catch (error) {
    unlock();
    throw cannotUse(directory, error);
  }
}

/**
 * Takes a directory that no process writes, together with other readers, and keeps writers out meanwhile.
 *
 * @throws DomainError `not_found` if it holds no log, `failed_precondition` if a process uses it.
 */
export function lockForReading(dataDir: string): LockedDirectory {
  const directory = resolve(dataDir);
  const files = filesOf(directory, logName);
  if (!existsSync(files.database) || !existsSync(files.lock))
    throw notFound(`the data directory ${directory} holds no log; check the path`);
  try {
    const lock = take(directory, files.lock, 'read', 'BEGIN; SELECT count(*) FROM sqlite_master');
    return { databaseFile: files.database, unlock: lock.unlock };
  } catch (error) {
    throw cannotUse(directory, error);
  }
}

function filesOf(directory: string, name: string): { readonly lock: string; readonly database: string } {
  return { lock: join(directory, 'lock.db'), database: join(directory, name) };
}

function take(directory: string, file: string, mode: 'write' | 'read', sql: string): { unlock(): void } {
  const lock = openDatabase(file, mode);
  held.add(lock);
  const unlock = () => {
    lock.close();
    held.delete(lock);
  };
  try {
    // A journal in memory: the transaction writes nothing, so that there is nothing to recover either.
    if (mode === 'write') lock.exec('PRAGMA journal_mode = MEMORY');
    lock.exec(sql);
  } catch (error) {
    unlock();
    if (sqlCode(error) !== 'SQLITE_BUSY') throw error;
    throw failedPrecondition(
      `the data directory ${directory} is in use by another process; stop that process or choose another directory`,
    );
  }
  return { unlock };
}

/** Directory by directory: where none can be made (`/proc`), Node's recursive way goes round in circles for ever. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  mkdirSync(directory, { mode: directoryMode });
}

function createFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', fileMode));
  // Also takes rights back that were given by hand; SQLite gives its side files the rights of the main file.
  chmodSync(file, fileMode);
}

function cannotUse(directory: string, error: unknown): DomainError {
  if (error instanceof DomainError && error.kind === 'failed_precondition') return error;
  const reason = sqlCode(error) ?? (error instanceof Error && 'code' in error ? String(error.code) : String(error));
  return failedPrecondition(
    `the data directory ${directory} cannot be used (${reason}); make it a directory that this user may write, or choose another`,
    {},
    { cause: error },
  );
}
