import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DomainError } from '@stopgo/core';
import { type Logger, messageOf, type NamedStop, stopAll } from '@stopgo/runtime';
import { BlobBucket } from './adapters/jetstream/blob-bucket.ts';
import { JetStreamBlobStore } from './adapters/jetstream/blob-store.ts';
import { JetStreamKeyStore } from './adapters/jetstream/key-store.ts';
import { jetStreamParts } from './adapters/jetstream/parts.ts';
import { parseNatsUrl } from './adapters/nats/address.ts';
import { NatsDeltas } from './adapters/nats/deltas.ts';
import { NatsInstanceBoard } from './adapters/nats/instance-board.ts';
import { openLink } from './adapters/nats/link.ts';
import { checkAtStart } from './adapters/nats/start-checks.ts';
import { type OpenFile, openViewsFile } from './adapters/sqlite/file.ts';
import { startBlobSweep } from './blob-sweep.ts';
import { openStreamsMaxDefault } from './bounds.ts';
import { nameSetAside } from './name-set-aside.ts';
import type { Observe } from './observe.ts';
import { storeService } from './service.ts';
import type { RunningStore } from './start.ts';

export { secretsOfNatsUrl } from './adapters/nats/address.ts';
export { isLeftUnhandledByNats } from './adapters/nats/left-unhandled.ts';

export type NatsStoreOptions = {
  /** Where NATS is, several addresses separated by commas; may carry `user:password@`, which is never printed. */
  readonly url: string;
  /** The server's monitoring address (http), which shows whether it writes through to the disk. */
  readonly monitorUrl?: string;
  /** Name of the stream that holds the event log. */
  readonly stream: string;
  /** Copies of the stream that the servers keep. */
  readonly replicas: number;
  /** Start, with a warning, also where nothing shows that what is acknowledged is on disk. */
  readonly acceptUnverifiedDurability: boolean;
  /** For the views, which can be made anew. Created if it is not there; belongs to this process until it stops. */
  readonly dataDir: string;
  readonly log: Logger;
  /** As for the store on one machine. */
  readonly openStreamsMax?: number;
  /** Is told what the store does, for tests that count work. */
  readonly observe?: Observe;
  /** Ends the wait for a server that is not there yet. */
  readonly signal?: AbortSignal;
};

/**
 * Starts one replica of the store on the event log in NATS JetStream. It waits until a server answers; it is ready when its
 * views show all that the log held at the start. While NATS is away, everything that needs it is `unavailable`.
 *
 * @throws DomainError with one line that says what is wrong, where, and what to do; `canceled` when the signal aborts.
 */
export async function startStoreOnNats(options: NatsStoreOptions): Promise<RunningStore> {
  const started: NamedStop[] = [];
  const stop = () => stopAll(started.splice(0), 'the store');
  try {
    return { service: await startParts(options, started), stop };
  } catch (error) {
    await stop().catch((problem: unknown) => options.log.warn(messageOf(problem)));
    throw error;
  }
}

/** Starts one part after the other; each is stopped before those that it needs. */
async function startParts(options: NatsStoreOptions, started: NamedStop[]): Promise<RunningStore['service']> {
  const { stream, replicas, log, observe = () => undefined, signal = new AbortController().signal } = options;
  const { openStreamsMax = openStreamsMaxDefault } = options;
  const address = parseNatsUrl(options.url);
  const replica = randomUUID();
  const now = () => performance.now();

  const file = openViews(options.dataDir, log);
  started.push({ name: 'views', stop: async () => file.close() });
  const link = await openLink({ address, log, signal, name: `stopgo-store-${replica}` });
  started.push({ name: 'nats', stop: () => link.close() });
  const { monitorUrl, acceptUnverifiedDurability } = options;
  const { logId } = await checkAtStart({
    ...{ link, stream, replicas, monitorUrl, acceptUnverifiedDurability },
    ...{ newId: randomUUID, log, signal },
  });

  const instances = new NatsInstanceBoard({ link, stream, replicas, replica, now });
  started.push({ name: 'heartbeats', stop: async () => instances.close() });
  const deltas = new NatsDeltas({ link, replica, now });
  started.push({ name: 'deltas', stop: async () => deltas.close() });
  const parts = await jetStreamParts({ link, streamName: stream, logId, database: file.database, log, observe });
  started.push({ name: 'event log', stop: () => parts.close() });
  await parts.ready(signal);
  nameSetAside(parts.allSetAside, log);
  const bucket = new BlobBucket({ link, stream, replicas, space: parts.space });
  const blobs = new JetStreamBlobStore({ bucket, newId: randomUUID, now: Date.now });
  const sweep = startBlobSweep({ blobs, views: parts.views }, log);
  started.push({ name: 'blobs', stop: () => sweep.stop() });
  return storeService({
    log: parts.events,
    views: parts.views,
    blobs,
    keys: new JetStreamKeyStore({ link, stream, replicas }),
    deltas,
    instances,
    openStreamsMax,
    condition: parts.condition,
  });
}

/** The file of the views; one that is damaged is made anew, since all in it comes from the log. */
function openViews(dataDir: string, log: Logger): OpenFile {
  try {
    return openViewsFile(dataDir);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'data_loss') throw error;
    log.warn('the file of the views is damaged; they are made anew', { dataDir, reason: error.message });
    for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, `views.db${end}`), { force: true });
    return openViewsFile(dataDir);
  }
}
