import { rmSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { allSubjects } from '../src/adapters/jetstream/batch-message.ts';
import { type JetStreamParts, jetStreamParts } from '../src/adapters/jetstream/parts.ts';
import { parseNatsUrl } from '../src/adapters/nats/address.ts';
import { type NatsLink, openLink } from '../src/adapters/nats/link.ts';
import type { SqlDatabase } from '../src/adapters/sqlite/database.ts';
import { openViewsFile } from '../src/adapters/sqlite/file.ts';
import type { Observe } from '../src/observe.ts';
import type { LogUnderTest } from './event-log.contract.ts';
import { startNats } from './nats-server.ts';
import { freshDirectory, silent } from './sqlite-log.ts';

const never = new AbortController().signal;
const logId = 'log-of-a-test';

/** A connection of the test's own. */
export const connectTo = (url: string): Promise<NatsConnection> => connect({ servers: url });

export const streamName = 'STOPGO';

/** Makes the stream of a log, as the start of the store does. */
export async function makeStream(url: string): Promise<void> {
  const connection = await connectTo(url);
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: streamName, subjects: [allSubjects], allow_direct: true });
  await connection.close();
}

/** Another stream in its place that says to be the same log, as after a restore from a backup. */
export async function replaceStream(url: string): Promise<void> {
  const connection = await connectTo(url);
  await (await jetstreamManager(connection)).streams.delete(streamName);
  await connection.close();
  await makeStream(url);
}

/** One replica of the log, in this process. */
export type Replica = JetStreamParts & {
  readonly link: NatsLink;
  readonly database: SqlDatabase;
  readonly dataDir: string;
  /** Ends it; its file stays. */
  end(): Promise<void>;
};

export type ReplicaOptions = {
  readonly url: string;
  readonly dataDir?: string;
  readonly observe?: Observe;
  readonly wrap?: (database: SqlDatabase) => SqlDatabase;
  readonly id?: string;
  /** False: `ready` is left to the test. */
  readonly isReady?: boolean;
};

/** Starts a replica whose views show the log. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, dataDir = freshDirectory(), observe = () => undefined, id = logId, isReady = true } = options;
  const { wrap = (database) => database } = options;
  const link = await openLink({ address: parseNatsUrl(url), log: silent, signal: never, name: 'replica' });
  const file = openViewsFile(dataDir);
  const database = wrap(file.database);
  const parts = await jetStreamParts({ link, streamName, logId: id, database, log: silent, observe });
  if (isReady) await parts.ready();
  return {
    ...parts,
    link,
    database,
    dataDir,
    async end() {
      await parts.close();
      await link.close();
      file.close();
    },
  };
}

/** The log on a server of its own. */
export async function openJetStreamLog(): Promise<LogUnderTest> {
  const server = await startNats();
  await makeStream(server.url);
  let replica = await openReplica({ url: server.url });
  return {
    log: () => replica.events,
    async reopen() {
      await replica.end();
      replica = await openReplica({ url: server.url, dataDir: replica.dataDir });
    },
    async close() {
      await replica.end();
      rmSync(replica.dataDir, { recursive: true });
      await server.remove();
    },
  };
}
