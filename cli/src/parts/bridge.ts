import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Standing, systemClock, type Waits } from '@stopgo/log';
import { eraFile, type McpBridge, startMcpBridge } from '@stopgo/mcp-bridge';
import type { store } from '@stopgo/proto';
import type { Client, Secret } from '@stopgo/rpc';
import { Sealer } from '@stopgo/security';
import { hiddenFromToolServers } from './hidden-files.ts';
import type { PartOptions } from './part.ts';
import { parsePushKey } from './push-key.ts';
import { credentialsOf } from './secrets.ts';
import { sayWhatToolServersCan } from './tool-server-notes.ts';

/**
 * Starts a bridge to all tool servers of the configuration; calls to it must name an id that it has. `log`: the store, and whether that
 * is another process. `key`: what is kept of connected accounts is sealed with; absent: none can be connected.
 */
export function startBridgePart(
  { config, env, logger, version, stopping }: PartOptions,
  standing: Standing,
  log: { readonly client: Client<typeof store.StoreService>; readonly isFar: boolean },
  waits: Waits,
  key: Secret | undefined,
): Promise<McpBridge> {
  sayWhatToolServersCan(config, env, logger);
  return startMcpBridge({
    servers: config.mcpServers,
    standing,
    waits,
    store: log.client,
    isStoreFar: log.isFar,
    clientInfo: { name: config.name, version },
    log: logger,
    secrets: credentialsOf(config, env),
    environment: env,
    hiddenFolders: hiddenFromToolServers(config),
    clock: systemClock.monotonic,
    time: systemClock,
    newId: randomUUID,
    random: Math.random,
    randomBytes,
    ...(key === undefined ? {} : { sealer: new Sealer(parsePushKey(key.reveal()), randomBytes) }),
    eraMemory: eraFile(join(config.dataDir, 'mcp-eras.json')),
    ...(stopping === undefined ? {} : { stopping }),
  });
}
