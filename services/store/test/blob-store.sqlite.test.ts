import { rmSync } from 'node:fs';
import { integer, type SqlDatabase } from '../src/adapters/sqlite/database.ts';
import { blobStoreContract } from './blob-store.contract.ts';
import { freshDirectory, openParts } from './sqlite-log.ts';

blobStoreContract('sqlite', async () => {
  const dataDir = freshDirectory();
  let left = Number.POSITIVE_INFINITY;
  // Every statement that writes may be the last one of the process.
  const breaking = (database: SqlDatabase): SqlDatabase => ({
    ...database,
    exec: (sql) => {
      if (sql === 'COMMIT' && left-- <= 0) throw new Error('killed');
      database.exec(sql);
    },
    run: (sql) => {
      const write = database.run(sql);
      return (...parameters) => {
        if (sql.includes('blob') && left-- <= 0) throw new Error('killed');
        return write(...parameters);
      };
    },
  });
  let parts = openParts(dataDir, undefined, breaking);
  return {
    blobs: () => parts.blobs,
    async reopen() {
      left = Number.POSITIVE_INFINITY;
      parts.close();
      parts = openParts(dataDir, undefined, breaking);
    },
    pass: () => undefined,
    stored: async () =>
      parts.database.one('SELECT (SELECT count(*) FROM blob_pieces) + (SELECT count(*) FROM blobs)', (row) =>
        integer(row, 0),
      )() ?? 0,
    async loseLastPiece() {
      parts.database.exec('DELETE FROM blob_pieces WHERE key = (SELECT max(key) FROM blob_pieces)');
    },
    failAfter: (writes) => {
      left = writes;
    },
    async close() {
      parts.close();
      rmSync(dataDir, { recursive: true });
    },
  };
});
