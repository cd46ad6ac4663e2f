import { closeSync, existsSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { messageOf } from '@stopgo/runtime';
import { copyLog, openReadOnly } from '@stopgo/store';
import { makeNamedDirectory } from '../made-directory.ts';
import { oneLine } from '../shown.ts';
import { explainDirectoryError, logOnErrors } from './open-store.ts';
import { verify } from './verify.ts';

/**
 * `stopgo backup`: copies the log of a data directory, as it is at one moment, into a new directory, verifies the copy and only then
 * gives it its name. Nothing that is there is ever replaced, and nothing is left of a copy that failed.
 */
export async function backUp(
  dataDir: string,
  directory: string,
  host: NodeJS.Process,
  print: (line: string) => void,
): Promise<void> {
  const target = resolve(directory);
  if (existsSync(target)) throw new Error(oneLine(`${target} is there already; name a directory that is not`));
  const parent = dirname(target);
  makeNamedDirectory(parent);
  const unfinished = unfinishedCopy(target);
  let bytes: number;
  try {
    const copy = copied(dataDir, unfinished);
    bytes = statSync(copy).size;
    await verified(unfinished, host, print);
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    throw error;
  }
  sync(parent, target);
  print(oneLine(`${target}: ${bytes} bytes, verified`));
  if (existsSync(join(dataDir, 'push.key')))
    print('not in it: push.key, the key of credentials for notifications; keep a copy of it somewhere else');
}

function unfinishedCopy(target: string): string {
  try {
    return mkdtempSync(`${target}.unfinished-`);
  } catch (error) {
    // What follows is about a name that nobody gave.
    const [reason = ''] = messageOf(error).split(', mkdtemp ');
    throw new Error(oneLine(`a backup cannot be written to ${dirname(target)}: ${reason}`), { cause: error });
  }
}

/** The log of separate services is in NATS. */
const natsBackup = 'back up NATS: docs/operations.md, "Backup and restore", says how';
const copyInstead = { inUse: natsBackup, empty: `or, where services run separately, ${natsBackup}` };

function copied(dataDir: string, folder: string): string {
  try {
    return copyLog(dataDir, folder);
  } catch (error) {
    throw explainDirectoryError(error, copyInstead);
  }
}

async function verified(folder: string, host: NodeJS.Process, print: (line: string) => void): Promise<void> {
  const { service, stop } = await openReadOnly({ dataDir: folder, log: logOnErrors(host) });
  try {
    const client = createInProcessClient(store.StoreService, service);
    if (await verify({ client, close: stop }, undefined, print)) return;
  } finally {
    await stop();
  }
  throw new Error(
    'the copy does not verify, and was removed; `stopgo verify` tells whether the log itself is damaged: then restore the last good backup, or copy its directory while nothing runs to keep it as it is',
  );
}

/** Has the disk keep the name that a backup was given in a folder. */
function sync(folder: string, target: string): void {
  try {
    const opened = openSync(folder, 'r');
    try {
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw new Error(
      oneLine(
        `${target} is there and verified, but ${folder} could not be written to the disk (${messageOf(error)}): a power cut may undo it; make another backup`,
      ),
      { cause: error },
    );
  }
}
