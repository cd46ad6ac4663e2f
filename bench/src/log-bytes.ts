import { join } from 'node:path';
import { conversationStream } from '@stopgo/core';
import Database from 'libsql';

/** The bytes of each event of a conversation as the log holds them, in the order of their revisions. */
export function logBytesByRevision(dataDir: string, conversation: string): number[] {
  const database = new Database(join(dataDir, 'stopgo.db'));
  try {
    const rows = database
      .prepare(
        'SELECT length(envelope) FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?) ORDER BY revision',
      )
      .raw()
      .all([conversationStream(conversation)]) as number[][];
    return rows.map(([bytes]) => bytes ?? 0);
  } finally {
    database.close();
  }
}
