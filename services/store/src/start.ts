import { failedPrecondition } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import { type EmbeddedParts, embeddedParts } from './adapters/embedded.ts';
import { openFile, openFileReadOnly } from './adapters/sqlite/file.ts';
import { catchUp } from './adapters/sqlite-views/rebuild.ts';
import { conditionOfViews, resetViews } from './adapters/sqlite-views/schema.ts';
import type { Observe } from './observe.ts';
import { storeService } from './service.ts';

export type StoreOptions = {
  /** Created if it is not there; belongs to this process until it stops. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Is told what the store does, for tests that count work. */
  readonly observe?: Observe;
};

export type RunningStore = {
  readonly service: ServiceImpl<typeof store.StoreService>;
  /** Commits what waits, ends every stream and gives the data directory free. Calling it again changes nothing. */
  stop(): Promise<void>;
};

/**
 * Starts the store on the event log of a data directory; the views are current when it is ready.
 *
 * @throws DomainError with one line that says what to do if the directory is in use or cannot be used.
 */
export async function startStore({ dataDir, log, observe = () => undefined }: StoreOptions): Promise<RunningStore> {
  const file = openFile(dataDir);
  try {
    const { database } = file;
    const parts = embeddedParts(database, log, observe);
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
    return running(parts, file.close);
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Opens the store of a data directory that no process uses, to read and to verify. It never writes: an append is refused.
 *
 * @throws DomainError with one line that says what to do if the directory is in use or holds no log.
 */
export async function openReadOnly({ dataDir, log, observe = () => undefined }: StoreOptions): Promise<RunningStore> {
  const file = openFileReadOnly(dataDir);
  try {
    const parts = embeddedParts(file.database, log, observe);
    if (conditionOfViews(file.database, parts.heads.lastPosition) === 'other version')
      throw failedPrecondition(`the views in ${dataDir} are of another version; start the platform on it once`);
    const { service, stop } = running(parts, file.close);
    const refuse = async () => {
      throw failedPrecondition(`the data directory ${dataDir} is open to read only; append through a running store`);
    };
    return { service: { ...service, append: refuse }, stop };
  } catch (error) {
    file.close();
    throw error;
  }
}

function running({ events, views }: EmbeddedParts, closeFile: () => void): RunningStore {
  // The lock on the data directory: whoever shared it with an earlier process is dead.
  const service = storeService({ log: events, views, instancesComplete: true });
  let stopped = false;
  return {
    service,
    async stop() {
      if (stopped) return;
      stopped = true;
      events.close();
      closeFile();
    },
  };
}
