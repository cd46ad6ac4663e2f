import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { reasonOf, StartupError } from '@stopgo/tool-server';
import Database from 'libsql';

/** How long a statement waits for another process that holds the write lock, in milliseconds. */
export const lockWaitMaxMs = 2_000;

/** Only the owner reads what is stored. */
const folderMode = 0o700;
const fileMode = 0o600;

const schema = `
  CREATE TABLE IF NOT EXISTS resources (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS resources_by_name ON resources (name, id);
`;

/**
 * Opens the database file, creating its folder, the file and the table where they are missing. A commit that returned
 * is on the disk (WAL, synchronous=FULL). Several processes may have the file open at the same time.
 * @throws StartupError when the file cannot be created, written, locked within {@link lockWaitMaxMs}, is damaged, or is no database.
 */
export function openDatabase(file: string): Database.Database {
  const path = resolve(file);
  let database: Database.Database | undefined;
  try {
    createFolder(dirname(path));
    // The database library would create the file readable for everybody; the files beside it copy this one's mode.
    closeSync(openSync(path, 'a', fileMode));
    database = new Database(path);
    database.exec(`PRAGMA busy_timeout = ${lockWaitMaxMs}`);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    requireSound(database);
    database.transaction(() => database?.exec(schema)).immediate();
    return database;
  } catch (thrown) {
    database?.close();
    throw new StartupError(`cannot open the database ${path}: ${reasonOf(thrown)}; ${remedyFor(thrown)}`);
  }
}

/**
 * Looks at every page: a damaged file is better refused now than at the first call that meets the damage. 60 ms for as many resources
 * as a file may hold. @throws Error with the first fault.
 */
function requireSound(database: Database.Database): void {
  const [found] = database.prepare('PRAGMA quick_check(1)').all() as { readonly quick_check: string }[];
  if (found?.quick_check !== 'ok') throw Object.assign(new Error(found?.quick_check), { code: 'SQLITE_CORRUPT' });
}

/** What can be done where a file cannot be opened, by the code that SQLite or the system has for it. */
function remedyFor(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  switch (code) {
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return 'the file is damaged or no database: put a backup in its place, or name another file with --db';
    case 'SQLITE_BUSY':
      return 'another program holds the file: end that, or name another file with --db';
    case 'SQLITE_ERROR':
      return 'the file belongs to another program: name another file with --db';
    default:
      return 'name a file with --db that this user may write, as well as its folder';
  }
}

/** Creates the folder and its parents. Not `recursive: true`: where a file system refuses new folders as ENOENT, Node 20 never returns from it. */
function createFolder(path: string): void {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path, folderMode);
  } catch (thrown) {
    if (!existsSync(path)) throw thrown; // another process may have been quicker
  }
}
