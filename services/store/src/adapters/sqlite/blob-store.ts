import { notFound } from '@stopgo/core';
import type { BlobHolder, BlobStore, HeldBlob } from '../../blob-store.ts';
import { blobPieceBytesMax, blobsPerSweepPage } from '../../bounds.ts';
import type { DiskCondition } from '../../disk-condition.ts';
import { wholeBlob } from '../../whole-blob.ts';
import { bytes, inOneStep, integer, type SqlDatabase, text } from './database.ts';

/** Pieces that one blob may have: a piece is found by the number of its blob times this, and its own. */
const piecesMax = 64;

/** The tables of the blobs. They belong to the log: unlike the views, they cannot be made anew. */
export const blobSchema = `
  CREATE TABLE IF NOT EXISTS blobs (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS blob_pieces (
    key INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS blob_holders (
    digest TEXT NOT NULL,
    conversation TEXT NOT NULL,
    run TEXT NOT NULL,
    call TEXT NOT NULL,
    PRIMARY KEY (digest, conversation, run, call)
  ) STRICT, WITHOUT ROWID;
`;

/** True if the file has the tables: one that only an older release has written has not. */
export function hasBlobs(database: SqlDatabase): boolean {
  const count = database.one(`SELECT count(*) FROM sqlite_master WHERE name = 'blob_holders'`, (row) =>
    integer(row, 0),
  );
  return (count() ?? 0) > 0;
}

/** The blobs in the file of the log. A put, and a release, are one transaction each, on disk before the answer. */
export class SqliteBlobStore implements BlobStore {
  readonly #database: SqlDatabase;
  readonly #disk: Pick<DiskCondition, 'failed'>;
  readonly #sql: ReturnType<typeof statements>;

  /** `disk` is told of what could not be written. */
  constructor(database: SqlDatabase, disk: Pick<DiskCondition, 'failed'>) {
    this.#database = database;
    this.#disk = disk;
    this.#sql = statements(database);
  }

  async put(digest: string, blob: Uint8Array, { conversationId, runId, callId }: BlobHolder): Promise<void> {
    const sql = this.#sql;
    this.#write(blob.byteLength, () => {
      sql.insertHolder(digest, conversationId, runId, callId);
      if (sql.blob(digest) !== undefined) return;
      const id = (sql.lastId() ?? 0) + 1;
      sql.insertBlob(id, digest, blob.byteLength);
      for (let piece = 0; piece * blobPieceBytesMax < blob.byteLength; piece++) {
        const from = piece * blobPieceBytesMax;
        sql.insertPiece(id * piecesMax + piece, blob.subarray(from, from + blobPieceBytesMax));
      }
    });
  }

  async size(digest: string) {
    return this.#sql.blob(digest)?.size;
  }

  async *read(digest: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const blob = this.#sql.blob(digest);
    if (blob === undefined) throw notFound(`there is no blob ${digest}`);
    yield* wholeBlob(digest, blob.size, (index) => this.#sql.piece(blob.id * piecesMax + index), signal);
  }

  async holders(digest: string) {
    return this.#sql.holdersOf(digest);
  }

  async *held() {
    for (const digests of pages(this.#sql.held))
      yield digests.map((digest) => ({ digest, holders: this.#sql.holdersOf(digest), seen: null }));
  }

  async release({ digest }: HeldBlob, over: readonly BlobHolder[], isNamed: boolean): Promise<void> {
    const sql = this.#sql;
    this.#write(0, () => {
      for (const { conversationId, runId, callId } of over) sql.deleteHolder(digest, conversationId, runId, callId);
      const id = sql.blob(digest)?.id;
      if (isNamed || id === undefined || sql.holdersOf(digest).length > 0) return;
      sql.deletePieces(id * piecesMax, (id + 1) * piecesMax);
      sql.deleteBlob(id);
    });
  }

  async *digests() {
    yield* pages(this.#sql.digests);
  }

  #write(blobBytes: number, change: () => void): void {
    try {
      inOneStep(this.#database, change);
    } catch (error) {
      this.#disk.failed(error, 1, blobBytes);
      throw error;
    }
  }
}

/** Each page is read when it is asked for, so that what lies between them may change. */
function* pages(read: (after: string, limit: number) => readonly string[]): Generator<readonly string[], void> {
  for (let after = ''; ; ) {
    const page = read(after, blobsPerSweepPage);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last;
  }
}

function statements(database: SqlDatabase) {
  return {
    blob: database.one('SELECT id, size FROM blobs WHERE digest = ?', (row) => ({
      id: integer(row, 0),
      size: integer(row, 1),
    })),
    lastId: database.one('SELECT ifnull(max(id), 0) FROM blobs', (row) => integer(row, 0)),
    insertBlob: database.run('INSERT INTO blobs (id, digest, size) VALUES (?, ?, ?)'),
    insertPiece: database.run('INSERT INTO blob_pieces (key, bytes) VALUES (?, ?)'),
    piece: database.one('SELECT bytes FROM blob_pieces WHERE key = ?', (row) => bytes(row, 0)),
    deleteBlob: database.run('DELETE FROM blobs WHERE id = ?'),
    deletePieces: database.run('DELETE FROM blob_pieces WHERE key >= ? AND key < ?'),
    digests: database.all('SELECT digest FROM blobs WHERE digest > ? ORDER BY digest LIMIT ?', (row) => text(row, 0)),
    insertHolder: database.run(
      'INSERT OR IGNORE INTO blob_holders (digest, conversation, run, call) VALUES (?, ?, ?, ?)',
    ),
    deleteHolder: database.run(
      'DELETE FROM blob_holders WHERE digest = ? AND conversation = ? AND run = ? AND call = ?',
    ),
    holdersOf: database.all(
      'SELECT conversation, run, call FROM blob_holders WHERE digest = ?',
      (row): BlobHolder => ({
        conversationId: text(row, 0),
        runId: text(row, 1),
        callId: text(row, 2),
      }),
    ),
    held: database.all('SELECT DISTINCT digest FROM blob_holders WHERE digest > ? ORDER BY digest LIMIT ?', (row) =>
      text(row, 0),
    ),
  };
}
