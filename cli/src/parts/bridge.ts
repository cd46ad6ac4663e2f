import { randomUUID } from 'node:crypto';
import { type Standing, systemClock } from '@stopgo/log';
import { type McpBridge, startMcpBridge } from '@stopgo/mcp-bridge';
import type { PartOptions } from './part.ts';

/** Starts a bridge to all tool servers of the configuration; calls to it must name an id that it has. */
export function startBridgePart({ config, env, logger, version }: PartOptions, standing: Standing): Promise<McpBridge> {
  return startMcpBridge({
    servers: config.mcpServers,
    standing,
    clientInfo: { name: config.name, version },
    log: logger,
    environment: env,
    clock: systemClock.monotonic,
    newId: randomUUID,
    random: Math.random,
  });
}
