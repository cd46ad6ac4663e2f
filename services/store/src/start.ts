import { statfsSync } from 'node:fs';
import type { store } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import { type EmbeddedParts, embeddedParts, writtenByThread } from './adapters/embedded.ts';
import { openFile, type WrittenFile, writeNothing } from './adapters/sqlite/file.ts';
import { catchUp } from './adapters/sqlite-views/rebuild.ts';
import { conditionOfViews, resetViews } from './adapters/sqlite-views/schema.ts';
import { startBlobSweep } from './blob-sweep.ts';
import { openStreamsMaxDefault } from './bounds.ts';
import { Deltas } from './deltas.ts';
import { DiskCondition } from './disk-condition.ts';
import { Instances } from './instances.ts';
import { nameSetAside } from './name-set-aside.ts';
import type { Observe } from './observe.ts';
import { storeService } from './service.ts';

// For a program that has folders for several stores in one.
export { lockForServices } from './adapters/sqlite/data-directory.ts';

export type StoreOptions = {
  /** Created if it is not there; belongs to this process until it stops. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Is told what the store does, for tests that count work. */
  readonly observe?: Observe;
  /**
   * Streams (follow, subscribe, watch) that may be open at once; more are refused with `resource_exhausted`. Must cover two
   * for each open stream of the API and one for each run that is driven. Default `openStreamsMaxDefault`.
   */
  readonly openStreamsMax?: number;
  /**
   * True (the default) if a process that is in no heartbeat of this store is known to be dead: whoever shared the data
   * directory with an earlier process of the store died with it. False if other processes outlive the store.
   */
  readonly instancesComplete?: boolean;
};

export type RunningStore = {
  readonly service: ServiceImpl<typeof store.StoreService>;
  /** Commits what waits, ends every stream and gives the data directory free. Calling it again changes nothing. */
  stop(): Promise<void>;
};

/**
 * Starts the store on the event log of a data directory; the views are current when it is ready. A conversation whose
 * events cannot be folded is named in an error of the log and set aside: it is in no list and takes no append.
 *
 * @throws DomainError with one line that says what to do if the directory is in use or cannot be used.
 */
export async function startStore(options: StoreOptions): Promise<RunningStore> {
  const { parts, store } = await openStore(options);
  const sweep = startBlobSweep(parts, options.log);
  return { service: store.service, stop: () => sweep.stop().then(store.stop) };
}

/** The store on a data directory with its views made, which changes nothing by itself: see {@link startStore}. */
export async function openStore(
  options: StoreOptions,
): Promise<{ readonly parts: EmbeddedParts; readonly store: RunningStore }> {
  const { dataDir, log, observe = () => undefined } = options;
  const file = openFile(dataDir);
  const embedded = writtenByThread(file, log);
  try {
    const disk = diskOf(dataDir, file, log);
    const parts = embeddedParts(embedded, log, observe, disk);
    const { database } = embedded;
    const condition = conditionOfViews(database, parts.heads.lastPosition);
    if (condition !== 'sound') {
      if (condition === 'ahead of the log') log.error('the event log has lost events; verify it', { dataDir });
      resetViews(database);
      parts.projection.forget();
    }
    await catchUp({
      database,
      projection: parts.projection,
      readAll: (after, limit) => parts.events.readAll(after, limit),
      lastPosition: parts.heads.lastPosition,
      log,
      now: () => performance.now(),
    });
    nameSetAside(parts.allSetAside, log);
    return { parts, store: running(parts, options, file.close, disk) };
  } catch (error) {
    await embedded.writer.close();
    file.close();
    throw error;
  }
}

function diskOf(dataDir: string, { database, checkPlace }: WrittenFile, log: Logger): DiskCondition {
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize;
  };
  return new DiskCondition({
    dataDir,
    log,
    now: () => performance.now(),
    write: () => {
      checkPlace();
      writeNothing(database);
    },
    freeBytes,
  });
}

/** The service over an open file, until it is stopped. */
export function running(
  { events, views, blobs, keys }: EmbeddedParts,
  options: StoreOptions,
  closeFile: () => void,
  disk?: DiskCondition,
): RunningStore {
  const { openStreamsMax = openStreamsMaxDefault, instancesComplete = true } = options;
  const deltas = new Deltas();
  const instances = new Instances(instancesComplete, () => performance.now());
  const condition = () => disk?.problem;
  const service = storeService({ log: events, views, blobs, keys, deltas, instances, openStreamsMax, condition });
  let stopped = false;
  return {
    service,
    async stop() {
      if (stopped) return;
      stopped = true;
      await events.close();
      disk?.close();
      deltas.close();
      closeFile();
    },
  };
}
