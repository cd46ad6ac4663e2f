import { countedMax, messagesPerConversationMax } from '../../bounds.ts';
import type {
  Belonging,
  ChangeFilter,
  ChangeKey,
  ConversationFilter,
  DueRunRow,
  OpenRunRow,
  SetAside,
  StoredAsking,
} from '../../views.ts';
import { bytes, integer, type SqlDatabase, type SqlRow, type SqlValue, text } from '../sqlite/database.ts';
import { toSize } from '../sqlite/page-size.ts';
import { approvalTables } from './approval-tables.ts';
import { askingTables } from './asking-tables.ts';
import { LateRows } from './late-rows.ts';
import { wordsOf } from './words.ts';

/** A conversation as it is stored. */
export type ConversationRow = {
  readonly key: number;
  readonly id: string;
  readonly revision: number;
  readonly status: number;
  readonly openRun: OpenRunRow | undefined;
  readonly belongs: Belonging;
  /** Tasks of other agents wait for an answer, or are to be ended; its owner does not matter. */
  readonly watchedRun: OpenRunRow | undefined;
  /** Something of it is due at a time, whoever drives it. */
  readonly dueRun: DueRunRow | undefined;
  readonly asking: StoredAsking;
  readonly head: Uint8Array;
  readonly snapshot: Uint8Array;
};

/**
 * Key of a message: those of a conversation lie together, in order. Exact for conversations up to `conversationKeyMax`.
 */
export const messageKey = (conversation: number, sequence: number): number =>
  conversation * messagesPerConversationMax + sequence;

/** The conversations of one principal, by the indexes that only those of signed-in users are in. */
const ofPrincipal = "principal = ? AND principal <> 'anonymous'";

/** The conversation that a message's key belongs to. */
export const conversationOfMessage = (key: number): number => Math.floor(key / messagesPerConversationMax);

const beyondAnyKey = Number.MAX_SAFE_INTEGER;

/**
 * The statements on the tables of the views. Rows of conversations are written late (see `LateRows`): whatever reads one here
 * has it written before, and so has `setCheckpoint`, which is the last word of a transaction.
 */
export type ViewTables = ReturnType<typeof viewTables>;

export function viewTables(database: SqlDatabase) {
  const columns =
    'key, id, revision, status, open_run_id, owner_instance, owner_epoch, context_id, principal, standing, changed_at, watched_run_id, due_run_id, due_at, asks, asks_since';
  const list = `SELECT key, id, head FROM conversations`;
  const toListed = (row: SqlRow) => ({ key: integer(row, 0), id: text(row, 1), head: bytes(row, 2) });
  const toBytes = (row: SqlRow) => ({ key: integer(row, 0), bytes: bytes(row, 1) });
  const newest = database.all(`${list} WHERE key < ? ORDER BY key DESC LIMIT ?`, toListed);
  const newestOfStatus = database.all(`${list} WHERE key < ? AND status = ? ORDER BY key DESC LIMIT ?`, toListed);
  const newestOfPrincipal = database.all(
    `${list} WHERE key < ? AND ${ofPrincipal} ORDER BY key DESC LIMIT ?`,
    toListed,
  );
  const newestOfPrincipalOfStatus = database.all(
    `${list} WHERE key < ? AND ${ofPrincipal} AND status = ? ORDER BY key DESC LIMIT ?`,
    toListed,
  );
  const setAside = 'SELECT id, position, revision, reason FROM set_aside';

  const toChanged = (row: SqlRow) => ({ ...toListed(row), changedAt: integer(row, 3) });
  const changed = prepared((sql) => database.all(sql, toChanged));
  const counted = prepared((sql) => database.one(sql, (row) => integer(row, 0)));

  // Each half by its own index: left to choose, the planner walks through all conversations in the order of their keys.
  const openOrDue = database.all(
    `SELECT * FROM (
       SELECT ${columns} FROM conversations INDEXED BY conversations_with_open_run
         WHERE open_run_id IS NOT NULL AND key > ?
       UNION ALL
       SELECT ${columns} FROM conversations INDEXED BY conversations_by_due
         WHERE due_at <= ? AND open_run_id IS NULL AND key > ?
     ) ORDER BY key LIMIT ?`,
    toRow,
  );
  const writeRow = database.run(
    `INSERT INTO conversations (${columns}, head, snapshot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, status = excluded.status,
         open_run_id = excluded.open_run_id, owner_instance = excluded.owner_instance,
         owner_epoch = excluded.owner_epoch, context_id = excluded.context_id, principal = excluded.principal,
         standing = excluded.standing, changed_at = excluded.changed_at,
         watched_run_id = excluded.watched_run_id, due_run_id = excluded.due_run_id, due_at = excluded.due_at,
         asks = excluded.asks, asks_since = excluded.asks_since, head = excluded.head, snapshot = excluded.snapshot`,
  );
  const late = new LateRows(database, writeRow);
  /** Reads rows of any conversations. */
  const ofAny = <P extends readonly unknown[], T>(read: (...parameters: P) => T) => {
    return (...parameters: P): T => {
      late.write();
      return read(...parameters);
    };
  };
  /** Reads what depends on one conversation. */
  const ofOne = <T>(read: (id: string) => T) => {
    return (id: string): T => {
      late.writeOne(id);
      return read(id);
    };
  };

  return {
    checkpoint: database.one('SELECT checkpoint FROM views_meta', (row) => integer(row, 0)),
    setCheckpoint: ofAny(database.run('UPDATE views_meta SET checkpoint = ?')),

    conversation: ofOne(
      database.one(
        `SELECT ${columns}, head, snapshot FROM conversations WHERE id = ?`,
        (row): ConversationRow => ({ ...toRow(row), head: bytes(row, 16), snapshot: bytes(row, 17) }),
      ),
    ),
    conversationKey: ofOne(database.one('SELECT key FROM conversations WHERE id = ?', (row) => integer(row, 0))),
    conversationAt: ofAny(database.one(`${list} WHERE key = ?`, toListed)),
    columnsAt: ofAny(
      database.one('SELECT status, principal FROM conversations WHERE key = ?', (row) => ({
        status: integer(row, 0),
        principal: text(row, 1),
      })),
    ),
    /** The columns in their order; inside a transaction. */
    writeConversation: (key: number, id: string, ...more: readonly SqlValue[]) => late.put(id, [key, id, ...more]),
    /** The same at once, for a row that is there and damaged. */
    rewriteConversation: writeRow,
    /** Whoever is set here is told why a row could not be written late, and gives what is thrown. */
    onLateFailure: (failed: (error: unknown) => unknown) => late.onFailure(failed),
    /** Drops rows that are not written yet: their transaction came to nothing. */
    forgetConversations: () => late.forget(),
    newest: ofAny(
      (
        before: number = beyondAnyKey,
        filter: Partial<Pick<ConversationFilter, 'status' | 'principal'>>,
        limit: number,
      ) => {
        const { status, principal } = filter;
        if (principal === undefined)
          return status === undefined ? newest(before, limit) : newestOfStatus(before, status, limit);
        return status === undefined
          ? newestOfPrincipal(before, principal, limit)
          : newestOfPrincipalOfStatus(before, principal, status, limit);
      },
    ),
    byChange: ofAny((filter: ChangeFilter, after: ChangeKey | undefined, limit: number) => {
      const { changedAt, key } = after ?? { changedAt: beyondAnyKey, key: beyondAnyKey };
      const [{ sql, values }, since] = [where(filter), filter.changedSince];
      const place = 'changed_at >= ? AND (changed_at, key) < (?, ?) ORDER BY changed_at DESC, key DESC LIMIT ?';
      const query = `SELECT key, id, head, changed_at FROM conversations WHERE ${sql} ${place}`;
      return changed(query)(...values, since, changedAt, key, limit);
    }),
    countByChange: ofAny((filter: ChangeFilter) => {
      const { sql, values } = where(filter);
      const some = `SELECT 1 FROM conversations WHERE ${sql} changed_at >= ? LIMIT ${countedMax}`;
      return counted(`SELECT count(*) FROM (${some})`)(...values, filter.changedSince);
    }),
    ofContext: ofAny(
      database.all(
        'SELECT key, id FROM conversations WHERE context_id = ? AND principal = ? AND key < ? ORDER BY key DESC LIMIT ?',
        (row) => ({ key: integer(row, 0), id: text(row, 1) }),
      ),
    ),
    toldBefore: database.all(
      'SELECT key, bytes FROM messages INDEXED BY messages_told WHERE is_told = 1 AND key >= ? AND key < ? ORDER BY key DESC LIMIT ?',
      toBytes,
    ),
    openRuns: ofAny(
      database.all(
        `SELECT ${columns} FROM conversations WHERE open_run_id IS NOT NULL AND key > ? ORDER BY key LIMIT ?`,
        toRow,
      ),
    ),
    /** The same, and those of which something is due by a time. */
    openOrDueRuns: ofAny((dueBy: number, after: number, limit: number) => openOrDue(after, dueBy, after, limit)),
    watchedRuns: ofAny(
      database.all(
        `SELECT ${columns} FROM conversations WHERE watched_run_id IS NOT NULL AND key > ? ORDER BY key LIMIT ?`,
        toRow,
      ),
    ),
    counts: ofAny(
      database.all('SELECT status, number FROM conversation_counts', (row) => ({
        status: integer(row, 0),
        number: integer(row, 1),
      })),
    ),

    countsOf: ofAny(
      database.all(`SELECT status, count(*) FROM conversations WHERE ${ofPrincipal} GROUP BY status`, (row) => ({
        status: integer(row, 0),
        number: integer(row, 1),
      })),
    ),

    insertMessage: database.run('INSERT INTO messages (key, revision, is_told, bytes) VALUES (?, ?, ?, ?)'),
    insertWords: database.run('INSERT INTO message_words (rowid, words) VALUES (?, ?)'),
    messageRevision: database.one('SELECT revision FROM messages WHERE key = ?', (row) => integer(row, 0)),
    /** Messages from a key on, as long as they are of one revision. */
    messagesFrom: database.all(
      'SELECT key, bytes FROM messages WHERE key >= ? AND key < ? AND revision = ? ORDER BY key LIMIT ?',
      toBytes,
    ),
    messageSizes: database.all(
      'SELECT key, length(bytes) FROM messages WHERE key > ? AND key < ? ORDER BY key LIMIT ?',
      toSize,
    ),
    messages: database.all('SELECT key, bytes FROM messages WHERE key > ? AND key <= ? ORDER BY key', toBytes),
    /**
     * The newest message before a key that matches. The driver gives every number as a REAL, which the word index does not
     * take for a place to begin at: it would walk through all newer matches first.
     */
    matchBefore: database.one(
      `SELECT rowid FROM message_words WHERE message_words MATCH ? AND rowid < CAST(? AS INTEGER)
         ORDER BY rowid DESC LIMIT 1`,
      (row) => integer(row, 0),
    ),

    ...askingTables(database, ofAny),
    ...approvalTables(database),
    person: database.one('SELECT key, bytes FROM people WHERE stream = ?', toBytes),
    storedPerson: database.one('SELECT kind, of_user, bytes FROM people WHERE stream = ?', (row) => ({
      kind: text(row, 0),
      ofUser: text(row, 1),
      bytes: bytes(row, 2),
    })),
    people: database.all(
      'SELECT key, bytes FROM people WHERE kind = ? AND of_user = ? AND key > ? ORDER BY key LIMIT ?',
      toBytes,
    ),
    countPeople: database.one('SELECT count(*) FROM people WHERE kind = ?', (row) => integer(row, 0)),
    personStreamsAfter: database.all('SELECT stream FROM people WHERE stream > ? ORDER BY stream LIMIT ?', (row) =>
      text(row, 0),
    ),
    writePerson: database.run(
      `INSERT INTO people (key, stream, kind, of_user, bytes) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET of_user = excluded.of_user, bytes = excluded.bytes`,
    ),
    push: database.one('SELECT key, bytes, named_from, named_through FROM push WHERE id = ?', (row) => ({
      key: integer(row, 0),
      bytes: bytes(row, 1),
      namedFrom: integer(row, 2),
      namedThrough: integer(row, 3),
    })),
    pushColumns: database.one('SELECT settled, live, owner_instance FROM push WHERE id = ?', (row) => ({
      settledRevision: integer(row, 0),
      live: integer(row, 1),
      ownerInstance: row[2] === null ? '' : text(row, 2),
    })),
    // It looks at the conversations, and they at it.
    writePush: ofAny(
      database.run(
        `INSERT INTO push (key, id, settled, live, owner_instance, head, revision, bytes)
         VALUES (?, ?, ?, ?, ?, ifnull((SELECT revision FROM conversations WHERE id = ?), 0), ?, ?)
         ON CONFLICT (key) DO UPDATE SET settled = excluded.settled, live = excluded.live, revision = excluded.revision,
           owner_instance = excluded.owner_instance, head = excluded.head, bytes = excluded.bytes`,
      ),
    ),
    nameWebhooks: ofAny(
      database.run(
        `INSERT INTO push (key, id, settled, live, owner_instance, head, revision, bytes, named_from, named_through)
         VALUES (?, ?, 0, 0, NULL, ifnull((SELECT revision FROM conversations WHERE id = ?), 0), 0, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET named_through = max(named_through, excluded.named_through), head = excluded.head,
           named_from = CASE named_from WHEN 0 THEN excluded.named_from ELSE min(named_from, excluded.named_from) END`,
      ),
    ),
    duePushes: ofAny(
      database.all(
        'SELECT key, id, owner_instance FROM push WHERE due = 1 AND key > ? ORDER BY key LIMIT ?',
        (row) => ({
          key: integer(row, 0),
          conversationId: text(row, 1),
          ownerInstance: row[2] === null ? '' : text(row, 2),
        }),
      ),
    ),
    idsAfter: ofAny(
      database.all('SELECT id FROM conversations WHERE id > ? ORDER BY id LIMIT ?', (row) => text(row, 0)),
    ),
    pushIdsAfter: database.all('SELECT id FROM push WHERE id > ? AND revision > 0 ORDER BY id LIMIT ?', (row) =>
      text(row, 0),
    ),
    insertBlobName: database.run('INSERT OR IGNORE INTO blob_names (digest, conversation, bytes) VALUES (?, ?, ?)'),
    blobName: database.one('SELECT bytes FROM blob_names WHERE digest = ? AND conversation = ?', (row) =>
      bytes(row, 0),
    ),
    isBlobNamed: database.one('SELECT 1 FROM blob_names WHERE digest = ? LIMIT 1', (row) => integer(row, 0)),
    blobNames: database.all(
      'SELECT digest, bytes FROM blob_names WHERE conversation = ? AND digest > ? ORDER BY digest LIMIT ?',
      (row) => ({ key: text(row, 0), bytes: bytes(row, 1) }),
    ),
    deleteBlobNames: database.run('DELETE FROM blob_names WHERE conversation = ?'),
    /** The whole index of words, for verification. */
    words: wordsOf(database, 'message_words'),
    /** What reads beside these: see {@link SqlDatabase.toRead}. */
    toRead: database.toRead,
    setAside: database.one(`${setAside} WHERE id = ?`, toSetAside),
    allSetAside: database.all(`${setAside} ORDER BY id LIMIT ?`, toSetAside),
    insertSetAside: database.run('INSERT INTO set_aside (id, position, revision, reason) VALUES (?, ?, ?, ?)'),
    deleteConversation: ofAny(database.run('DELETE FROM conversations WHERE key = ?')),
    deleteMessages: database.run('DELETE FROM messages WHERE key > ? AND key < ?'),
  };
}

function toRow(row: SqlRow): Omit<ConversationRow, 'head' | 'snapshot'> {
  const id = text(row, 1);
  const revision = integer(row, 2);
  const owner = row[5] === null ? undefined : { instance: text(row, 5), epoch: integer(row, 6) };
  return {
    key: integer(row, 0),
    id,
    revision,
    status: integer(row, 3),
    watchedRun: row[11] === null ? undefined : { conversationId: id, runId: text(row, 11), owner: undefined, revision },
    dueRun:
      row[12] === null
        ? undefined
        : { conversationId: id, runId: text(row, 12), owner, revision, dueAt: integer(row, 13) },
    openRun: row[4] === null ? undefined : { conversationId: id, runId: text(row, 4), owner, revision },
    belongs: {
      contextId: text(row, 7),
      principal: text(row, 8),
      standing: integer(row, 9),
      changedAt: integer(row, 10),
    },
    asking: { number: integer(row, 14), since: row[15] === null ? undefined : integer(row, 15) },
  };
}

/** Statements that are made as they are needed; there are few of them. */
function prepared<T>(make: (sql: string) => T): (sql: string) => T {
  const made = new Map<string, T>();
  return (sql) => {
    const statement = made.get(sql) ?? make(sql);
    made.set(sql, statement);
    return statement;
  };
}

/** The part of a condition that says which conversations, with the values that it has. */
function where(filter: ChangeFilter): { readonly sql: string; readonly values: (string | number)[] } {
  const { context, standing } = filter;
  const principal = context === undefined ? filter.principal : undefined;
  const ofContext = context === undefined ? '' : 'context_id = ? AND principal = ? AND ';
  const ofOne = principal === undefined ? '' : `${ofPrincipal} AND `;
  const ofStanding = standing === undefined ? '' : 'standing = ? AND ';
  return {
    sql: ofContext + ofOne + ofStanding,
    values: [
      ...(context === undefined ? [] : [context.id, context.principal]),
      ...(principal === undefined ? [] : [principal]),
      ...(standing === undefined ? [] : [standing]),
    ],
  };
}

function toSetAside(row: SqlRow): SetAside {
  return { conversationId: text(row, 0), position: integer(row, 1), revision: integer(row, 2), reason: text(row, 3) };
}
