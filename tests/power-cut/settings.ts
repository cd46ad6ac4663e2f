import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WrittenServer } from './acknowledged.ts';
import type { MountedImage } from './mounted-image.ts';
import { type SyncInterval, startNatsServer } from './nats-server.ts';
import { startPlatform } from './platform.ts';
import type { Rack } from './rack.ts';
import { type StoreProcess, startStoreProcess } from './store-process.ts';
import type { Undo } from './undo.ts';

/** What every setting is tried with. */
export type Bench = {
  readonly rack: Rack;
  /** For what is not on a disk of it. */
  readonly folder: string;
  readonly modelUrl: string;
  readonly undo: Undo;
};

/** A log, set in one way, and what is started on it. */
export type Setting = {
  readonly log: 'embedded' | 'JetStream';
  readonly name: string;
  /** True: it must lose nothing. False: it must lose something, or the test could not see a loss. */
  readonly isSafe: boolean;
  /** The file that the views are written to, on the disk. */
  readonly viewsFile: string;
  /** Starts what writes to the disk. */
  start(disk: MountedImage): Promise<WrittenServer>;
  /** Starts a store on what a cut left, which writes nothing by itself, so that one can look. */
  reopen(disk: MountedImage): Promise<StoreProcess>;
  /** Shows that all that wrote comes up again on what a cut left. */
  restart(disk: MountedImage): Promise<void>;
};

const dataDirOf = (disk: MountedImage): string => join(disk.folder, 'data');

/** What is loaded before a program so that SQLite syncs less than the program asks for. */
const weakSync = new URL('./fixtures/weak-sync.mjs', import.meta.url).href;
type Weaker = 'NORMAL' | 'OFF';
const weakened = (level: Weaker | undefined) =>
  level === undefined ? {} : { env: { POWER_CUT_SYNCHRONOUS: level }, preloads: [weakSync] };

/** `stopgo start` with the embedded log. */
export function embeddedPlatform(bench: Bench, level?: Weaker): Setting {
  const { folder, modelUrl, undo } = bench;
  const start = (disk: MountedImage): Promise<WrittenServer> =>
    startPlatform({ folder, dataDir: dataDirOf(disk), modelUrl }, undo, weakened(level));
  return {
    log: 'embedded',
    name: `${nameOf(level)}, stopgo start`,
    isSafe: level === undefined,
    viewsFile: 'data/stopgo.db-wal',
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
    viewsFile: 'data/stopgo.db-wal',
    start: async (disk) => {
      const store = await start(disk);
      return { ...store, pids: [store.pid] };
    },
    reopen: start,
    restart: async () => undefined,
  };
}

/** A store and a nats-server, both with their files on the disk. */
export function onJetStream({ folder, undo }: Bench, natsServer: string, sync: SyncInterval): Setting {
  const start = async (disk: MountedImage): Promise<StoreProcess & WrittenServer> => {
    const storeDir = join(disk.folder, 'nats');
    mkdirSync(storeDir, { recursive: true });
    const nats = await startNatsServer(natsServer, { folder, storeDir, sync }, undo);
    const acceptsUnverified = sync !== 'shipped';
    const options = { folder, dataDir: dataDirOf(disk), env: nats.env, acceptsUnverified };
    const store = await startStoreProcess(options, undo);
    return {
      ...store,
      pids: [store.pid, nats.pid],
      kill: async () => {
        await store.kill();
        await nats.kill();
      },
    };
  };
  return {
    log: 'JetStream',
    name: sync === 'shipped' ? 'sync_interval: always (shipped)' : 'default sync_interval',
    isSafe: sync === 'shipped',
    viewsFile: 'data/views.db-wal',
    start,
    reopen: start,
    restart: async () => undefined,
  };
}

function nameOf(level: Weaker | undefined): string {
  return level === undefined ? 'synchronous=FULL (shipped)' : `synchronous=${level}`;
}
