import { readFileSync } from 'node:fs';
import { DomainError } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { type Client, connectGrpc, createGrpcClient, createInProcessClient } from '@stopgo/rpc';
import { createLogger, loadAgentConfig } from '@stopgo/runtime';
import { openReadOnly } from '@stopgo/store';
import { readInternalToken, variablesOf } from '../services/internal-token.ts';

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

const readFile = (path: string): string => readFileSync(path, 'utf8');

/**
 * Opens the log to read: a running store service, to which this process proves itself with the internal token of its
 * environment, or a data directory that nobody uses. Nothing is ever written.
 *
 * @throws Error in one line, in which no token is.
 */
export async function openStore(source: LogSource, host: NodeJS.Process): Promise<OpenedStore> {
  if (source.store !== undefined) {
    const internalToken = readInternalToken(variablesOf(host.env), readFile);
    const channel = connectGrpc(source.store, internalToken === undefined ? {} : { internalToken });
    return { client: createGrpcClient(store.StoreService, channel), close: async () => channel.close() };
  }
  const dataDir = source.dataDir ?? dataDirOf(source.config);
  const log = createLogger({ level: 'warn', format: 'text', destination: host.stderr });
  const running = await openReadOnly({ dataDir, log }).catch((error: unknown) => {
    throw explainDirectoryError(error);
  });
  return { client: createInProcessClient(store.StoreService, running.service), close: running.stop };
}

/** What went wrong with a running store, in words for who typed its address. Other errors pass as they are. */
export function explainStoreError(error: unknown, address: string): unknown {
  if (!(error instanceof DomainError)) return error;
  if (error.kind === 'unavailable') return new Error(`--store ${address}: ${error.message}`, { cause: error });
  if (error.kind === 'unimplemented') {
    const why = 'it is of a release that cannot do this; update it, or use the stopgo of its release';
    return new Error(`--store ${address}: ${why} (${error.message})`, { cause: error });
  }
  if (error.kind !== 'unauthenticated') return error;
  const remedy = 'set STOPGO_INTERNAL_TOKEN or STOPGO_INTERNAL_TOKEN_FILE to the one that it has';
  return new Error(`--store ${address}: the internal token is missing or wrong; ${remedy}`, { cause: error });
}

/** What can be done instead about a data directory that a process has locked. Other errors pass as they are. */
export function explainDirectoryError(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.kind !== 'failed_precondition' || !/ is in use /.test(error.message))
    return error;
  const instead = 'where its services run as separate processes, name its store with --store HOST:PORT';
  return new Error(`${error.message}; ${instead}`, { cause: error });
}

function dataDirOf(path: string): string {
  return loadAgentConfig(path, { readFile }).config.dataDir;
}
