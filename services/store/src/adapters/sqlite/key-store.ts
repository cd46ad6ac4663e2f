import type { KeyStore } from '../../key-store.ts';
import { bytes, inOneStep, integer, type SqlDatabase } from './database.ts';

/** The table of the keys. It belongs to the log: it cannot be made anew. */
export const keySchema = `
  CREATE TABLE IF NOT EXISTS sealed_keys (
    id TEXT PRIMARY KEY,
    sealed BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** True if the file has the table: one that only an older release has written has not. */
export function hasKeys(database: SqlDatabase): boolean {
  const count = database.one(`SELECT count(*) FROM sqlite_master WHERE name = 'sealed_keys'`, (row) => integer(row, 0));
  return (count() ?? 0) > 0;
}

/** The keys in the file of the log. Each change is one transaction, on disk before the answer. */
export class SqliteKeyStore implements KeyStore {
  readonly #database: SqlDatabase;
  readonly #sql: ReturnType<typeof statements>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#sql = statements(database);
  }

  async keep(id: string, sealed: Uint8Array): Promise<void> {
    inOneStep(this.#database, () => this.#sql.insert(id, sealed));
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    return this.#sql.key(id);
  }

  async destroy(id: string): Promise<void> {
    // What is deleted is overwritten with zeros, and not only left to be.
    this.#database.exec('PRAGMA secure_delete = ON');
    try {
      inOneStep(this.#database, () => this.#sql.delete(id));
    } finally {
      this.#database.exec('PRAGMA secure_delete = OFF');
    }
  }
}

function statements(database: SqlDatabase) {
  return {
    insert: database.run('INSERT OR IGNORE INTO sealed_keys (id, sealed) VALUES (?, ?)'),
    key: database.one('SELECT sealed FROM sealed_keys WHERE id = ?', (row) => bytes(row, 0)),
    delete: database.run('DELETE FROM sealed_keys WHERE id = ?'),
  };
}
