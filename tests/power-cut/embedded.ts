import type { WrittenServer } from './acknowledged.ts';
import type { MountedImage } from './mounted-image.ts';
import { startPlatform } from './platform.ts';
import { type Bench, dataDirOf, type Setting } from './setting.ts';
import { type StoreProcess, startStoreProcess } from './store-process.ts';

/** How much SQLite is to sync instead of what the product asks for. */
type Weaker = 'NORMAL' | 'OFF';

/** Loaded before a program, it makes SQLite sync less than the program asks for. */
const weakSync = new URL('./fixtures/weak-sync.mjs', import.meta.url).href;

const viewsFile = 'data/stopgo.db-wal';

/** `stopgo start` with the embedded log. */
export function embeddedPlatform({ folder, modelUrl, undo }: Bench, level?: Weaker): Setting {
  const start = (disk: MountedImage): Promise<WrittenServer> =>
    startPlatform('start', { folder, dataDir: dataDirOf(disk), modelUrl, ...weakened(level) }, undo);
  return {
    log: 'embedded',
    name: `${nameOf(level)}, stopgo start`,
    isSafe: level === undefined,
    viewsFile,
    start,
    reopen: (disk) => startStoreProcess({ folder, dataDir: dataDirOf(disk) }, undo),
    restart: async (disk) => (await start(disk)).kill(),
  };
}

/** The store alone with the embedded log: more appends than a whole platform makes. */
export function embeddedStore({ folder, undo }: Bench, level?: Weaker): Setting {
  const start = (disk: MountedImage): Promise<StoreProcess> =>
    startStoreProcess({ folder, dataDir: dataDirOf(disk), ...weakened(level) }, undo);
  return {
    log: 'embedded',
    name: `${nameOf(level)}, stopgo service store`,
    isSafe: level === undefined,
    viewsFile,
    start,
    reopen: start,
  };
}

function weakened(level: Weaker | undefined) {
  return level === undefined ? {} : { env: { POWER_CUT_SYNCHRONOUS: level }, preloads: [weakSync] };
}

function nameOf(level: Weaker | undefined): string {
  return level === undefined ? 'synchronous=FULL (shipped)' : `synchronous=${level}`;
}
