import { rmSync } from 'node:fs';
import { unavailable } from '@stopgo/core';
import { expect, test } from 'vitest';
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
      await parts.close();
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
      await parts.close();
      rmSync(dataDir, { recursive: true });
    },
  };
});

test('a disk that takes no blob is known to be full, as one that takes no append is', async () => {
  const dataDir = freshDirectory();
  const full = unavailable('the disk is full', { reason: 'disk_full' });
  const told: unknown[] = [];
  const failing = (database: SqlDatabase): SqlDatabase => ({
    ...database,
    run: (sql) => {
      if (!sql.includes('INTO blob_pieces')) return database.run(sql);
      return () => {
        throw full;
      };
    },
  });
  const failed = (...of: unknown[]) => {
    told.push(of);
    return true;
  };
  const parts = openParts(dataDir, undefined, failing, { failed });
  const holder = { conversationId: 'c', runId: 'r', callId: 'k' };
  await expect(parts.blobs.put('digest', new Uint8Array([1]), holder)).rejects.toBe(full);
  expect(told).toEqual([[full, 1, 1]]);
  await parts.close();
  rmSync(dataDir, { recursive: true });
});
