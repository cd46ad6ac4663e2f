import { foldVersion, schemaVersion, sha256Hex } from '@stopgo/core';
import { inOneStep, integer, type SqlDatabase, sqlCode, text } from '../sqlite/database.ts';

/** Version of what this code writes into the tables, besides the core's fold. */
const rowsVersion = 7;

/** How texts are made into words, and what the index keeps of them. */
export const wordIndexOptions = `words, content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2'`;

/**
 * The tables of the views. All of it can be made again from the log.
 *
 * `conversations.key` is the position of a conversation's first event: the order of creation, the same on every rebuild.
 * A message's key is made of that key and its sequence, so that the messages of a conversation lie together, in the order
 * of their revisions too: one index for all that is asked of them.
 *
 * `messages.is_told` is 1 for a message with a text that the next conversation of the context is told.
 *
 * `changed_at` is the time of a conversation's last event, in milliseconds since 1970.
 *
 * `due_at` is when something of the open run is due next, in milliseconds since 1970; null if nothing is.
 *
 * `approvals.asked_in_run` is the run of an approval that a person was asked; null of one that policy decided.
 *
 * `conversations.asks` is how many questions of tool servers and agents wait for people, and `asks_since` since when the oldest of them
 * does, in milliseconds since 1970; null if there is none.
 *
 * `people` has the users and the API keys, those by the user whose they are.
 *
 * `approvals.principal` is whose conversation it is in.
 *
 * `approval_askings` has the words that waiting approvals are found by, by whoever may decide them; none of settled ones, nor of those
 * that demand nothing (`approvals.asked_of_all`), which most are.
 *
 * `approvals.agent` is the name of the agent of its conversation.
 *
 * `approvals.assignee` is the key of who is to look at an approval; empty: nobody in particular.
 *
 * `approvals.overdue_from` is from when on an approval waits longer than it should, in milliseconds since 1970; null: never.
 *
 * `set_aside` names the conversations whose events cannot be folded: they have no other row, but words may be left, which
 * then lead to no conversation.
 *
 * `blob_names` has the blobs that the events of a conversation name, each as it was named first.
 *
 * `push.head` is the revision of the conversation, as far as it is known: what is between it and `settled` may have to be told.
 * `push.named_from` and `push.named_through` are those of its first and last event that names webhooks, 0 if none does: then there is a
 * row also if nothing is there of the push stream, whose revision is `push.revision`.
 */
const tables = `
  CREATE TABLE views_meta (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version TEXT NOT NULL,
    checkpoint INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE conversations (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    status INTEGER NOT NULL,
    open_run_id TEXT,
    owner_instance TEXT,
    owner_epoch INTEGER,
    context_id TEXT NOT NULL,
    principal TEXT NOT NULL,
    standing INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    watched_run_id TEXT,
    due_run_id TEXT,
    due_at INTEGER,
    asks INTEGER NOT NULL DEFAULT 0,
    asks_since INTEGER,
    head BLOB NOT NULL,
    snapshot BLOB NOT NULL
  ) STRICT;
  CREATE INDEX conversations_by_status ON conversations (status, key);
  CREATE INDEX conversations_of_principal ON conversations (principal, key) WHERE principal <> 'anonymous';
  CREATE INDEX conversations_of_principal_by_status ON conversations (principal, status, key) WHERE principal <> 'anonymous';
  CREATE INDEX conversations_of_principal_by_change ON conversations (principal, changed_at, key) WHERE principal <> 'anonymous';
  CREATE INDEX conversations_of_context ON conversations (context_id, principal, key);
  CREATE INDEX conversations_by_change ON conversations (changed_at, key);
  CREATE INDEX conversations_by_standing ON conversations (standing, changed_at, key);
  CREATE INDEX conversations_of_context_by_change ON conversations (context_id, principal, changed_at, key);
  CREATE INDEX conversations_of_context_by_standing ON conversations (context_id, principal, standing, changed_at, key);
  CREATE INDEX conversations_with_open_run ON conversations (key) WHERE open_run_id IS NOT NULL;
  CREATE INDEX conversations_with_watched_run ON conversations (key) WHERE watched_run_id IS NOT NULL;
  CREATE INDEX conversations_by_due ON conversations (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX conversations_asking ON conversations (asks_since, key, asks) WHERE asks_since IS NOT NULL;
  CREATE INDEX conversations_asking_of_principal ON conversations (principal, asks_since, key, asks)
    WHERE asks_since IS NOT NULL AND principal <> 'anonymous';
  CREATE TABLE conversation_counts (status INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
  CREATE TRIGGER conversation_added AFTER INSERT ON conversations BEGIN
    INSERT INTO conversation_counts (status, number) VALUES (new.status, 1)
      ON CONFLICT (status) DO UPDATE SET number = number + 1;
  END;
  CREATE TRIGGER conversation_changed AFTER UPDATE OF status ON conversations WHEN new.status <> old.status BEGIN
    UPDATE conversation_counts SET number = number - 1 WHERE status = old.status;
    INSERT INTO conversation_counts (status, number) VALUES (new.status, 1)
      ON CONFLICT (status) DO UPDATE SET number = number + 1;
  END;
  CREATE TRIGGER conversation_removed AFTER DELETE ON conversations BEGIN
    UPDATE conversation_counts SET number = number - 1 WHERE status = old.status;
  END;
  CREATE TABLE messages (
    key INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL,
    is_told INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE INDEX messages_told ON messages (key) WHERE is_told = 1;
  CREATE VIRTUAL TABLE message_words USING fts5 (
    ${wordIndexOptions}
  );
  CREATE TABLE approvals (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation INTEGER NOT NULL,
    status INTEGER NOT NULL,
    asked_in_run TEXT,
    principal TEXT NOT NULL,
    tool TEXT NOT NULL,
    server TEXT NOT NULL,
    node TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    asked_of_all INTEGER NOT NULL,
    overdue_from INTEGER,
    assignee TEXT NOT NULL DEFAULT '',
    agent TEXT NOT NULL DEFAULT '',
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE INDEX approvals_asked_of_all ON approvals (key) WHERE status = 1 AND asked_of_all = 1;
  CREATE INDEX approvals_asked_of_owner ON approvals (principal, key) WHERE status = 1 AND asked_of_all = 1;
  CREATE INDEX approvals_waiting_by_tool ON approvals (tool, key) WHERE status = 1;
  CREATE INDEX approvals_overdue ON approvals (overdue_from) WHERE status = 1 AND overdue_from IS NOT NULL;
  CREATE INDEX approvals_overdue_of_principal ON approvals (principal, overdue_from)
    WHERE status = 1 AND overdue_from IS NOT NULL;
  CREATE INDEX approvals_assigned ON approvals (assignee, key) WHERE status = 1 AND assignee <> '';
  CREATE INDEX approvals_by_status ON approvals (status, key);
  CREATE INDEX approvals_of_principal ON approvals (principal, key) WHERE principal <> 'anonymous';
  CREATE INDEX approvals_of_principal_by_status ON approvals (principal, status, key) WHERE principal <> 'anonymous';
  CREATE INDEX approvals_by_conversation ON approvals (conversation, key);
  CREATE INDEX approvals_asked ON approvals (conversation, asked_in_run, key) WHERE asked_in_run IS NOT NULL;
  CREATE TABLE approval_askings (
    asked TEXT NOT NULL,
    key INTEGER NOT NULL,
    from_at INTEGER NOT NULL,
    not_by TEXT NOT NULL,
    PRIMARY KEY (asked, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX approval_askings_by_key ON approval_askings (key);
  CREATE TABLE push (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    settled INTEGER NOT NULL,
    live INTEGER NOT NULL,
    owner_instance TEXT,
    head INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    named_from INTEGER NOT NULL DEFAULT 0,
    named_through INTEGER NOT NULL DEFAULT 0,
    due INTEGER GENERATED ALWAYS AS
      (owner_instance IS NOT NULL OR (live > 0 AND head > settled) OR named_through > settled) STORED,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE INDEX push_due ON push (key) WHERE due = 1;
  CREATE TRIGGER push_conversation_added AFTER INSERT ON conversations BEGIN
    UPDATE push SET head = new.revision WHERE id = new.id;
  END;
  CREATE TRIGGER push_conversation_changed AFTER UPDATE OF revision ON conversations BEGIN
    UPDATE push SET head = new.revision WHERE id = new.id;
  END;
  CREATE TABLE people (
    key INTEGER PRIMARY KEY,
    stream TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    of_user TEXT NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE INDEX people_by_kind ON people (kind, of_user, key);
  CREATE TABLE blob_names (
    digest TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (digest, conversation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blob_names_of_conversation ON blob_names (conversation, digest);
  CREATE TABLE set_aside (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    reason TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Names the events that can be read, the fold, the rows and the tables: views of any other version are made anew from the
 * log.
 */
const version = `events ${schemaVersion}, fold ${foldVersion}, rows ${rowsVersion}, tables ${sha256Hex(tables).slice(0, 16)}`;

const names = [
  'views_meta',
  'conversations',
  'conversation_counts',
  'messages',
  'message_words',
  'approvals',
  'approval_askings',
  'push',
  'people',
  'blob_names',
  'set_aside',
];

/** How the views stand to the log. All but `sound` are to be made anew. */
export type ViewsCondition =
  /** They show the log, or a part of it that they can go on from. */
  | 'sound'
  /** Not made by this version, or not all there. */
  | 'other version'
  /** They have lost conversations. */
  | 'incomplete'
  /** They show events that the log has not: the log has lost some. */
  | 'ahead of the log';

/**
 * Looks at what can be told at once; `verify` looks at every row. Without a last position the log's end is elsewhere, and the
 * names of the streams are of the log up to where the views show it.
 */
export function conditionOfViews(database: SqlDatabase, lastPosition?: number): ViewsCondition {
  const count = (sql: string) => database.one(sql, (row) => integer(row, 0))() ?? 0;
  const list = names.map((name) => `'${name}'`).join(', ');
  const present = count(`SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (${list})`);
  const meta = present === names.length ? metaOf(database) : undefined;
  if (meta?.version !== version) return 'other version';
  if (lastPosition !== undefined && meta.checkpoint > lastPosition) return 'ahead of the log';
  if (lastPosition !== undefined && meta.checkpoint < lastPosition) return 'sound';
  const streams = count(`SELECT count(*) FROM streams WHERE name >= 'conversation-' AND name < 'conversation.'`);
  const shown = count('SELECT count(*) FROM conversations') + count('SELECT count(*) FROM set_aside');
  return shown === streams ? 'sound' : 'incomplete';
}

function metaOf(database: SqlDatabase): { readonly version: string; readonly checkpoint: number } | undefined {
  try {
    return database.one('SELECT version, checkpoint FROM views_meta', (row) => ({
      version: text(row, 0),
      checkpoint: integer(row, 1),
    }))();
  } catch (error) {
    // The table of another version has other columns.
    if (sqlCode(error) === 'SQLITE_ERROR') return undefined;
    throw error;
  }
}

/** Makes the tables anew, empty, all or nothing. */
export function resetViews(database: SqlDatabase): void {
  inOneStep(database, () => {
    for (const name of names) database.exec(`DROP TABLE IF EXISTS ${name}`);
    database.exec(tables);
    database.exec(`INSERT INTO views_meta (only, version, checkpoint) VALUES (1, '${version}', 0)`);
  });
}
