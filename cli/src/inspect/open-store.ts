import { readFileSync } from 'node:fs';
import { DomainError } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { type Client, connectGrpc, createGrpcClient, createInProcessClient } from '@stopgo/rpc';
import { createLogger, type Logger, loadAgentConfig } from '@stopgo/runtime';
import { openReadOnly } from '@stopgo/store';
import { readInternalToken, variablesOf } from '../services/internal-token.ts';

/** Where the log is read from. */
export type LogSource = {
  /** Address of a running store service; wins over the others. */
  readonly store?: string;
  /** A data directory, whether a process uses it or not. */
  readonly dataDir?: string;
  /** The configuration that names the data directory. */
  readonly config: string;
};

export type OpenedStore = { readonly client: Client<typeof store.StoreService>; close(): Promise<void> };

const readFile = (path: string): string => readFileSync(path, 'utf8');

/**
 * Opens the log to read: a running store service, to which this process proves itself with the internal token of its
 * environment, or a data directory as it is at this moment. Nothing is ever written.
 *
 * @throws Error in one line, in which no token is.
 */
async function openStore(source: LogSource, host: NodeJS.Process): Promise<OpenedStore> {
  if (source.store !== undefined) {
    const internalToken = readInternalToken(variablesOf(host.env), readFile);
    const channel = connectGrpc(source.store, internalToken === undefined ? {} : { internalToken });
    return { client: createGrpcClient(store.StoreService, channel), close: async () => channel.close() };
  }
  const dataDir = source.dataDir ?? dataDirOf(source.config);
  const running = await openReadOnly({ dataDir, log: logOnErrors(host) }).catch((error: unknown) => {
    throw explainDirectoryError(error);
  });
  return { client: createInProcessClient(store.StoreService, running.service), close: running.stop };
}

/** Opens the log, reads it, and closes it however that ends. */
export async function withStore(
  source: LogSource,
  host: NodeJS.Process,
  work: (opened: OpenedStore) => Promise<void>,
): Promise<void> {
  const opened = await openStore(source, host);
  try {
    await work(opened);
  } catch (error) {
    throw source.store === undefined ? error : explainStoreError(error, source.store);
  } finally {
    await opened.close();
  }
}

/** Says on the error output what who reads should know. */
export function logOnErrors({ stderr }: NodeJS.Process): Logger {
  return createLogger({ level: 'warn', format: 'text', destination: stderr });
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

/** What to do instead with a data directory whose log is not in it: one that separate services use, and one that is empty. */
type Instead = { readonly inUse: string; readonly empty: string };

const readInstead: Instead = {
  inUse: 'name a store of theirs with --store HOST:PORT',
  empty: 'or name the running store of separate services with --store HOST:PORT',
};

/** What can be done instead about a data directory whose log is not in it. Other errors pass as they are. */
export function explainDirectoryError(error: unknown, { inUse, empty } = readInstead): unknown {
  if (!(error instanceof DomainError)) return error;
  if (error.kind === 'failed_precondition' && / in use by separate services/.test(error.message))
    return new Error(`${error.message}; ${inUse}`, { cause: error });
  if (error.kind !== 'not_found') return error;
  return new Error(`${error.message}, ${empty}`, { cause: error });
}

/** The data directory that a configuration names. */
export function dataDirOf(path: string): string {
  return loadAgentConfig(path, { readFile }).config.dataDir;
}
