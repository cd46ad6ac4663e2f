import { join } from 'node:path';
import type { Random } from '../simulation/world/random.ts';
import type { Acknowledged } from './acknowledged.ts';
import { syncNowAndThen } from './background-sync.ts';
import { stopMidTransaction } from './mid-transaction.ts';
import { command, type MountedImage } from './mounted-image.ts';
import { killAll } from './process-tree.ts';
import type { Bench, Setting } from './setting.ts';
import { readWriteAheadLog } from './write-ahead-log.ts';

/** What else happens to the disk before its power goes. */
export const circumstances = [
  /** Nothing. This shows most of what nobody syncs. */
  'quiet',
  /** All of it is synced again and again, so files that nobody syncs are behind those that somebody does. */
  'synced now and then',
  /** The writers stop while a transaction of the views is half written, and all of it is synced: half of it is there. */
  'mid-transaction',
] as const;
export type Circumstance = (typeof circumstances)[number];

/** How long the first acknowledged append may take, in milliseconds. */
const firstMs = 60_000;

/** What a cut left. */
export type Cut = {
  readonly acknowledged: readonly Acknowledged[];
  /** The disk as it is when the power is back. */
  readonly after: MountedImage;
  /** The views' file on it: has all that was written, lacks transactions, or ends in the middle of one. */
  readonly views: 'whole' | 'behind' | 'torn';
};

/** Starts a server on an empty disk, and cuts the power some milliseconds after its first acknowledged append. */
export async function cutWhileWriting(
  setting: Setting,
  { lifeMs, circumstance, random }: { lifeMs: number; circumstance: Circumstance; random: Random },
  { rack }: Pick<Bench, 'rack'>,
): Promise<Cut> {
  const disk = rack.newDisk();
  const server = await setting.start(disk);
  const isSynced = circumstance === 'synced now and then';
  const endSyncs = isSynced ? syncNowAndThen(disk.folder, random) : async () => undefined;
  const acknowledged: Acknowledged[] = [];
  const first = new AbortController();
  const writing = server.write((one) => {
    acknowledged.push(one);
    first.abort();
  });
  await Promise.race([pause(firstMs, first.signal), writing]);
  if (acknowledged.length === 0) throw new Error(`nothing was acknowledged in ${firstMs} ms`);
  await pause(lifeMs);
  const viewsFile = join(disk.folder, setting.viewsFile);
  if (circumstance === 'mid-transaction') {
    await stopMidTransaction(server.pids(), viewsFile);
    command('sync', '--file-system', disk.folder);
  }
  const after = rack.cut(disk, () => killAll(server.pids()));
  // What the server answered before may still be on its way; it counts.
  await server.kill();
  await writing;
  await endSyncs();
  const found = readWriteAheadLog(join(after.folder, setting.viewsFile));
  const written = readWriteAheadLog(viewsFile);
  disk.remove();
  const isTorn = found.frames > found.inWholeTransactions;
  const isBehind = found.inWholeTransactions < written.inWholeTransactions;
  return { acknowledged, after, views: isTorn ? 'torn' : isBehind ? 'behind' : 'whole' };
}

/** Waits, unless it is told earlier that this is enough. */
function pause(ms: number, enough?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    enough?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
