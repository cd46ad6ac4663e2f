import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { failedPrecondition } from '@stopgo/core';
import { embeddedParts, ofOneConnection } from './adapters/embedded.ts';
import { copyDatabase } from './adapters/sqlite/copy.ts';
import { type OpenFile, openFileReadOnly, temporaryFolder } from './adapters/sqlite/file.ts';
import { noRoomOr, noTemporaryRoomOr } from './adapters/sqlite/no-room.ts';
import { conditionOfViews } from './adapters/sqlite-views/schema.ts';
import { openStore, type RunningStore, running, type StoreOptions } from './start.ts';

/**
 * Opens the store of a data directory to read and to verify, as it is at this moment, also while a process uses it. It never
 * writes there: an append is refused. Views that this version does not know, or that are not all made yet, are made
 * anew in a copy of the whole in the folder for temporary files, which goes when the store is stopped.
 *
 * @throws DomainError with one line that says what to do if the directory holds no log or cannot be read.
 */
export async function openReadOnly(options: StoreOptions): Promise<RunningStore> {
  const { dataDir, log, observe = () => undefined } = options;
  const file = openFileReadOnly(dataDir);
  try {
    const { database } = file;
    const parts = embeddedParts(ofOneConnection(database), log, observe);
    const { lastPosition } = parts.heads;
    const isOther = conditionOfViews(database, lastPosition) === 'other version';
    // Behind the log are the views of a process that is making them, and of one that ended before they were made.
    if (isOther || parts.projection.checkpoint() < lastPosition) {
      log.warn('the views are of another version, or not made yet; they are made anew in a copy', { dataDir });
      return refusing(await startCopy(file, options), dataDir);
    }
    return refusing(running(parts, options, file.close), dataDir);
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Copies the log and the views of a data directory, as they are at this moment, into a file of a folder that has none, and gives
 * its path. The directory may be in use; the folder is a data directory then.
 *
 * @throws DomainError with one line that says what to do if the directory holds no log or cannot be read, or there is no room for the
 * copy: what is there of it goes with the folder, which is the caller's.
 */
export function copyLog(dataDir: string, folder: string): string {
  const { database, close } = openFileReadOnly(dataDir);
  try {
    return copyDatabase(database, folder);
  } catch (error) {
    throw noRoomOr(error, dirname(folder), 'name a directory on a larger disk');
  } finally {
    close();
  }
}

/** The store of a copy, which goes with it. It sweeps nothing: what is asked of it is what the log of the directory keeps. */
async function startCopy(file: OpenFile, options: StoreOptions): Promise<RunningStore> {
  const folder = temporaryFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    copyDatabase(file.database, folder);
    file.close();
    const { store } = await openStore({ ...options, dataDir: folder });
    return { service: store.service, stop: () => store.stop().then(remove) };
  } catch (error) {
    remove();
    throw noTemporaryRoomOr(error);
  }
}

function refusing({ service, stop }: RunningStore, dataDir: string): RunningStore {
  const refuse = async () => {
    throw failedPrecondition(`the data directory ${dataDir} is open to read only; append through a running store`);
  };
  return { service: { ...service, append: refuse, putBlob: refuse, keepKey: refuse, destroyKey: refuse }, stop };
}
