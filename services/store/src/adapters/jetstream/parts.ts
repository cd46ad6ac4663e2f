import type { NatsConnection } from '@nats-io/nats-core';
import type { Logger } from '@stopgo/runtime';
import type { EventLog } from '../../event-log.ts';
import type { Observe } from '../../observe.ts';
import type { SetAside, Views } from '../../views.ts';
import type { SqlDatabase } from '../sqlite/database.ts';

export type JetStreamPartsOptions = {
  /** Connected; it reconnects by itself without limit. Stays the caller's: it is to be closed after the parts. */
  readonly connection: NatsConnection;
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
export function jetStreamParts(options: JetStreamPartsOptions): JetStreamParts {
  throw new Error(`not built yet (${options.streamName})`);
}
