// Who may use a data directory.
//
// 1. The lock is one of the operating system's, held by an open transaction on a file of its own: it falls when the
//    process ends, however it ends, so that there is no stale lock to clear away.
// 2. A process that opens and closes a locked file in any other way drops its own lock (POSIX): the files are created
//    before they are locked, and never opened otherwise.
// 3. A lock is kept reachable until it is given back: the driver closes what is collected, and its lock with it.
// 4. Whoever has a directory for several processes locks a second file too: the log of those is elsewhere, and one that an
//    earlier process has left in the directory must not be taken for it.
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DomainError, failedPrecondition, notFound } from '@stopgo/core';
import { makeDirectory } from '@stopgo/runtime';
import { openDatabase, type SqlDatabase, sqlCode } from './database.ts';

const logName = 'stopgo.db';
const directoryMode = 0o700;
const fileMode = 0o600;

/** How long a lock is waited for that others hold for a moment only, in milliseconds. */
const momentMs = 2_000;

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
function lockDirectory(dataDir: string): Pick<LockedDirectory, 'unlock'> {
  const directory = resolve(dataDir);
  const { lock } = filesOf(directory, logName);
  try {
    makeDirectory(directory, directoryMode);
    createFile(lock);
    return take(directory, lock, 'write', 'BEGIN EXCLUSIVE');
  } catch (error) {
    throw cannotUse(directory, error);
  }
}

/** The same, for a program whose log is not in the directory itself: who wants to read that one is told so. */
export function lockForServices(dataDir: string): Pick<LockedDirectory, 'unlock'> {
  const { unlock } = lockDirectory(dataDir);
  const directory = resolve(dataDir);
  const { servicesLock } = filesOf(directory, logName);
  try {
    createFile(servicesLock);
    const second = take(directory, servicesLock, 'write', `PRAGMA busy_timeout = ${momentMs}; BEGIN EXCLUSIVE`);
    return {
      unlock() {
        second.unlock();
        unlock();
      },
    };
  } catch (error) {
    unlock();
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

/** A data directory that is read. */
export type ReadDirectory = LockedDirectory & {
  /** True if a process writes it meanwhile; false if none does until it is unlocked. */
  readonly isInUse: boolean;
};

/**
 * Takes a directory to read, together with other readers. One that a process writes stays that process's; one that nobody
 * writes is kept from writers meanwhile. A copy without the file of the lock has never had a writer: nothing is locked.
 *
 * @throws DomainError `not_found` if it holds no log, `failed_precondition` if it cannot be read, or if separate services use it.
 */
export function lockForReading(dataDir: string): ReadDirectory {
  const directory = resolve(dataDir);
  const { database: databaseFile, lock, servicesLock } = filesOf(directory, logName);
  try {
    if (isLocked(directory, servicesLock))
      throw failedPrecondition(
        `the data directory ${directory} is in use by separate services, whose log is not in it`,
      );
    if (!isThere(databaseFile)) throw notFound(`the data directory ${directory} holds no log; check the path`);
    if (!existsSync(lock)) return { databaseFile, isInUse: false, unlock: () => undefined };
    const shared = tryShare(directory, lock);
    return { databaseFile, isInUse: shared === undefined, unlock: () => shared?.unlock() };
  } catch (error) {
    throw cannotRead(directory, error);
  }
}

/** False only where nothing is: what may not be looked at may hold everything. */
function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw error;
  }
}

function isLocked(directory: string, file: string): boolean {
  if (!existsSync(file)) return false;
  const shared = tryShare(directory, file);
  shared?.unlock();
  return shared === undefined;
}

/** Shares a lock with other readers; undefined if a writer has it. */
function tryShare(directory: string, file: string): { unlock(): void } | undefined {
  try {
    return take(directory, file, 'read', 'BEGIN; SELECT count(*) FROM sqlite_master');
  } catch (error) {
    if (isInUse(error)) return undefined;
    throw error;
  }
}

function filesOf(directory: string, name: string) {
  return {
    lock: join(directory, 'lock.db'),
    servicesLock: join(directory, 'services-lock.db'),
    database: join(directory, name),
  };
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
      {},
      { cause: error },
    );
  }
  return { unlock };
}

function createFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', fileMode));
  // Also takes rights back that were given by hand; SQLite gives its side files the rights of the main file.
  chmodSync(file, fileMode);
}

/** True of the error of a lock that another process has. */
function isInUse(error: unknown): boolean {
  return error instanceof DomainError && sqlCode(error.cause) === 'SQLITE_BUSY';
}

function cannotUse(directory: string, error: unknown): DomainError {
  if (error instanceof DomainError && error.kind === 'failed_precondition') return error;
  const remedy = 'make it a directory that this user may write, or choose another';
  return failedPrecondition(
    `the data directory ${directory} cannot be used (${reasonOf(error)}); ${remedy}`,
    {},
    { cause: error },
  );
}

function cannotRead(directory: string, error: unknown): DomainError {
  if (error instanceof DomainError && (error.kind === 'failed_precondition' || error.kind === 'not_found'))
    return error;
  const remedy = 'it takes a directory that this user may read';
  return failedPrecondition(
    `the data directory ${directory} cannot be read (${reasonOf(error)}); ${remedy}`,
    {},
    { cause: error },
  );
}

function reasonOf(error: unknown): string {
  return sqlCode(error) ?? (error instanceof Error && 'code' in error ? String(error.code) : String(error));
}
