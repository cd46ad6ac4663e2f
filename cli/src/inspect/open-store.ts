import { readFileSync } from 'node:fs';
import { store } from '@stopgo/proto';
import { type Client, connectGrpc, createGrpcClient, createInProcessClient, Secret } from '@stopgo/rpc';
import { createLogger, loadAgentConfig } from '@stopgo/runtime';
import { openReadOnly } from '@stopgo/store';

/** Where the log is read from. */
export type LogSource = {
  /** Address of a running store service; wins over the others. */
  readonly store?: string;
  /** A data directory that no process uses. */
  readonly dataDir?: string;
  /** The configuration that names the data directory. */
  readonly config: string;
};

export type OpenedStore = { readonly client: Client<typeof store.StoreService>; close(): Promise<void> };

/** Opens the log to read: a running store service, or a data directory that nobody uses. Nothing is ever written. */
export async function openStore(source: LogSource, host: NodeJS.Process): Promise<OpenedStore> {
  if (source.store !== undefined) {
    const token = host.env.STOPGO_INTERNAL_TOKEN;
    const channel = connectGrpc(source.store, token === undefined ? {} : { internalToken: new Secret(token) });
    return { client: createGrpcClient(store.StoreService, channel), close: async () => channel.close() };
  }
  const dataDir = source.dataDir ?? dataDirOf(source.config);
  const log = createLogger({ level: 'warn', format: 'text', destination: host.stderr });
  const running = await openReadOnly({ dataDir, log });
  return { client: createInProcessClient(store.StoreService, running.service), close: running.stop };
}

function dataDirOf(path: string): string {
  return loadAgentConfig(path, { readFile: (file) => readFileSync(file, 'utf8') }).config.dataDir;
}
