import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../simulation/world/random.ts';
import type { Acknowledged } from './acknowledged.ts';
import { syncNowAndThen } from './background-sync.ts';
import { killAll } from './process-tree.ts';
import type { Rack } from './rack.ts';
import type { Bench, Setting } from './setting.ts';

/** When the power goes after the first acknowledged append, in milliseconds. */
const lifeMsMin = 200;
const lifeMsMax = 2_500;
/** How long the first acknowledged append may take, in milliseconds. */
const firstMs = 60_000;
/** Losses that are named; the others are counted. */
const namedMax = 5;

export type Round = {
  /** The power went this many milliseconds after the first acknowledged append. */
  readonly lifeMs: number;
  readonly acknowledged: number;
  readonly lost: number;
  /** How much of what the views' file held had reached the disk. */
  readonly viewsOnDisk: 'all' | 'part' | 'nothing';
  /** What a safe setting must not show; empty if it does not. */
  readonly violations: readonly string[];
};

/**
 * Starts a server on an empty disk, lets it acknowledge appends, cuts the power at a moment that the seed chooses, and
 * looks at what is there when the power is back.
 */
export async function playRound(
  setting: Setting,
  { seed, isSynced }: { readonly seed: number; readonly isSynced: boolean },
  { rack }: Bench,
): Promise<Round> {
  const random = new Random(seed);
  const lifeMs = random.whole(lifeMsMin, lifeMsMax);
  const { acknowledged, after, viewsOnDisk } = await cutWhileWriting(
    setting,
    rack,
    lifeMs,
    isSynced ? random : undefined,
  );
  const violations: string[] = [];
  let lost = acknowledged.length;
  try {
    const store = await setting.reopen(after);
    const gone = await store.lost(acknowledged);
    lost = gone.length;
    violations.push(...gone.slice(0, namedMax).map(({ stream, revision }) => `lost: event ${revision} of ${stream}`));
    if (lost > namedMax) violations.push(`lost: ${lost - namedMax} more`);
    // What an unsafe setting leaves need not be sound.
    if (setting.isSafe) violations.push(...(await store.problems()));
    await store.kill();
    if (setting.isSafe) await setting.restart?.(after);
  } catch (error) {
    violations.push(`it does not come up again: ${String(error)}`);
  }
  after.remove();
  return { lifeMs, acknowledged: acknowledged.length, lost, viewsOnDisk, violations };
}

async function cutWhileWriting(setting: Setting, rack: Rack, lifeMs: number, syncs: Random | undefined) {
  const disk = rack.newDisk();
  const server = await setting.start(disk);
  const endSyncs = syncs === undefined ? async () => undefined : syncNowAndThen(disk.folder, syncs);
  const acknowledged: Acknowledged[] = [];
  const first = new AbortController();
  const writing = server.write((one) => {
    acknowledged.push(one);
    first.abort();
  });
  await Promise.race([pause(firstMs, first.signal), writing]);
  if (acknowledged.length === 0) throw new Error(`nothing was acknowledged in ${firstMs} ms`);
  await pause(lifeMs);
  const after = rack.cut(disk, () => killAll(server.pids()));
  // What the server answered before may still be on its way; it counts.
  await server.kill();
  await writing;
  await endSyncs();
  const viewsOnDisk = partOf(join(after.folder, setting.viewsFile), join(disk.folder, setting.viewsFile));
  disk.remove();
  return { acknowledged, after, viewsOnDisk };
}

/** How much of a file another one has. */
function partOf(path: string, whole: string): Round['viewsOnDisk'] {
  if (!existsSync(path)) return 'nothing';
  const found = readFileSync(path);
  if (found.equals(readFileSync(whole))) return 'all';
  // A file may have its length on the disk before its contents.
  return found.every((byte) => byte === 0) ? 'nothing' : 'part';
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
