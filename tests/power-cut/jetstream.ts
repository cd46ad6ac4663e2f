import { join } from 'node:path';
import type { MountedImage } from './mounted-image.ts';
import { type SyncInterval, startNatsServer } from './nats-server.ts';
import { startPlatform } from './platform.ts';
import { type Bench, dataDirOf, type Setting } from './setting.ts';
import { type StoreProcess, startStoreProcess } from './store-process.ts';

/** Where on a disk the parts lie, as `stopgo services` arranges them. */
const natsFolder = 'nats/jetstream';
const storeFolder = 'store-1';
const viewsFile = `data/${storeFolder}/views.db-wal`;

/** A store and a nats-server, both with their files on the disk. */
export function jetStreamStore(bench: Bench, natsServer: string, sync: SyncInterval): Setting {
  const start = starting(bench, natsServer, sync);
  return { log: 'JetStream', name: nameOf(sync), isSafe: sync === 'shipped', viewsFile, start, reopen: start };
}

/** `stopgo services`: everything as processes of its own, with the nats-server that it starts. */
export function jetStreamServices(bench: Bench, natsServer: string): Setting {
  const { folder, modelUrl, undo } = bench;
  const env = { STOPGO_NATS_SERVER: natsServer };
  const start = (disk: MountedImage) =>
    startPlatform('services', { folder, dataDir: dataDirOf(disk), modelUrl, env }, undo);
  return {
    log: 'JetStream',
    name: 'stopgo services (shipped)',
    isSafe: true,
    isSlow: true,
    viewsFile,
    start,
    reopen: starting(bench, natsServer, 'shipped'),
    restart: async (disk) => (await start(disk)).kill(),
  };
}

function starting({ folder, undo }: Bench, natsServer: string, sync: SyncInterval) {
  return async (disk: MountedImage): Promise<StoreProcess> => {
    const nats = await startNatsServer(natsServer, { folder, storeDir: join(dataDirOf(disk), natsFolder), sync }, undo);
    const dataDir = join(dataDirOf(disk), storeFolder);
    const acceptsUnverified = sync !== 'shipped';
    const store = await startStoreProcess({ folder, dataDir, env: nats.env, acceptsUnverified }, undo);
    return {
      ...store,
      pids: () => [...store.pids(), ...nats.pids()],
      kill: async () => {
        await store.kill();
        await nats.kill();
      },
    };
  };
}

function nameOf(sync: SyncInterval): string {
  return sync === 'shipped'
    ? 'sync_interval: always (shipped), stopgo service store'
    : 'default sync_interval, stopgo service store';
}
