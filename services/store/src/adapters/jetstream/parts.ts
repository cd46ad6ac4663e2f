import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Logger } from '@stopgo/runtime';
import type { DiskProblem } from '../../disk-condition.ts';
import type { EventLog } from '../../event-log.ts';
import { LiveEvents } from '../../live-events.ts';
import type { Observe } from '../../observe.ts';
import type { SetAside, Views } from '../../views.ts';
import { askMsMax } from '../nats/bounds.ts';
import type { NatsLink } from '../nats/link.ts';
import type { SqlDatabase } from '../sqlite/database.ts';
import { HotConversations } from '../sqlite-views/hot-conversations.ts';
import { SqliteProjection } from '../sqlite-views/projection.ts';
import { viewTables } from '../sqlite-views/view-tables.ts';
import { SqliteViews } from '../sqlite-views/views.ts';
import { Appends, type AppendsParts } from './appends.ts';
import { CatchUp } from './catch-up.ts';
import { JetStreamEventLog } from './event-log.ts';
import { Feed } from './feed.ts';
import { StreamIndex } from './index-tables.ts';
import { Leader } from './leader.ts';
import { Messages } from './messages.ts';
import { NoSpace } from './no-space.ts';
import { Pipeline } from './pipeline.ts';
import { repairing } from './repair.ts';
import { emptyViewsFile, prepareViewsFile } from './views-file.ts';

export type JetStreamPartsOptions = {
  /** Stays the caller's: it is to be closed after the parts. */
  readonly link: Pick<NatsLink, 'connection' | 'connected' | 'ask' | 'onBack'>;
  /** Name of the stream that holds the log. It exists, and its configuration was checked. */
  readonly streamName: string;
  /** Tells this log from any other: views of another one are made anew. */
  readonly logId: string;
  /** The replica's own file (see `openViewsFile`); whatever is in it can be made anew. Stays the caller's. */
  readonly database: SqlDatabase;
  readonly log: Logger;
  readonly observe: Observe;
};

export type JetStreamParts = {
  readonly events: EventLog;
  readonly views: Views;
  /** Why nothing is recorded now; undefined if nothing is known to be wrong. */
  readonly condition: () => DiskProblem | undefined;
  /** To be told of what else is handed to the same servers. */
  readonly space: Pick<NoSpace, 'refused' | 'stored'>;
  /** Conversations whose events cannot be folded, at most `limit`. */
  allSetAside(limit: number): readonly SetAside[];
  /**
   * Resolves once the views show all that the log held when this was called. Takes as long as it takes, outages included;
   * ends with `unavailable` when the parts are closed or the signal aborts.
   */
  ready(signal?: AbortSignal): Promise<void>;
  /** Takes no more appends, waits a bounded time for those in flight, and ends every stream. Never rejects. */
  close(): Promise<void>;
};

/**
 * The event log in a JetStream stream and the views that follow it: one replica. Nothing is asked of the server before
 * `ready`, an append or a read.
 *
 * @throws DomainError if the file cannot be used.
 */
export async function jetStreamParts(options: JetStreamPartsOptions): Promise<JetStreamParts> {
  const { link, streamName, logId, database, log, observe } = options;
  prepareViewsFile(database, logId, log);
  const client = jetstream(link.connection, { timeout: askMsMax });
  // Shorter than callers wait: a server that is frozen keeps its connection for a while.
  const manager = await jetstreamManager(link.connection, { checkAPI: false, timeout: askMsMax });
  const leader = new Leader({ link, manager, streamName });
  const messages = new Messages(leader);
  const index = new StreamIndex(database);
  const tables = viewTables(database);
  const hot = new HotConversations(tables, repairing({ database, tables, log, index, messages }));
  const projection = new SqliteProjection(tables, hot);
  const live = new LiveEvents();
  const pipeline = new Pipeline({ database, index, projection, messages, live, log, observe });
  tables.onLateFailure((error) => pipeline.lateFailure(error));
  const feed = new Feed({ client, streamName, leader, link, pipeline, log });
  const startOver = (last: number) => {
    pipeline.takeBack();
    emptyViewsFile(database, logId);
    pipeline.rewound();
    appends.rewound(last);
  };
  const catchUp = new CatchUp({ leader, pipeline, index, feed, log, startOver });
  const notBack = link.onBack(() => void catchUp.compare());
  const unseen: AppendsParts['unseen'] = (stream, after, upTo) => events.unseen(stream, after, upTo);
  const space = new NoSpace(log, () => performance.now());
  const appends = new Appends({ link, leader, pipeline, index, projection, space, unseen, observe });
  const caughtUp = () => catchUp.caughtUp();
  const events = new JetStreamEventLog({ index, pipeline, messages, leader, appends, live, caughtUp, observe });
  return {
    events,
    views: new SqliteViews(tables, hot, {
      caughtUp: (signal, position) => catchUp.caughtUp(signal, position),
      isFed: () => link.connected(),
      position: () => pipeline.position,
    }),
    allSetAside: tables.allSetAside,
    condition: () => space.problem,
    space,
    ready: (signal) => catchUp.follow(signal),
    async close() {
      await appends.close();
      notBack();
      live.close();
      pipeline.close();
      feed.close();
    },
  };
}
