import type { Logger } from '@stopgo/runtime';
import { LiveEvents } from '../live-events.ts';
import type { Observe } from '../observe.ts';
import type { SqlDatabase } from './sqlite/database.ts';
import { SqliteEventLog } from './sqlite/event-log.ts';
import { logTables } from './sqlite/log-tables.ts';
import { StreamHeads } from './sqlite/stream-heads.ts';
import { HotConversations } from './sqlite-views/hot-conversations.ts';
import { SqliteProjection } from './sqlite-views/projection.ts';
import { viewTables } from './sqlite-views/view-tables.ts';
import { SqliteViews } from './sqlite-views/views.ts';

/** The log and the views of one open file, in which each append and its rows are one transaction. */
export type EmbeddedParts = ReturnType<typeof embeddedParts>;

export function embeddedParts(database: SqlDatabase, log: Logger, observe: Observe) {
  const tables = logTables(database);
  const heads = new StreamHeads(tables);
  const ofViews = viewTables(database);
  const hot = new HotConversations(ofViews);
  const projection = new SqliteProjection(ofViews, hot);
  const events = new SqliteEventLog({ database, tables, heads, projection, live: new LiveEvents(), log, observe });
  return { heads, projection, events, views: new SqliteViews(ofViews, hot) };
}
