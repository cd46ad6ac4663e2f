import { systemClock } from '@stopgo/log';
import { type McpBridge, startMcpBridge } from '@stopgo/mcp-bridge';
import type { PartOptions } from './part.ts';

/** Starts a bridge to all tool servers of the configuration, under an id that calls to it must name. */
export function startBridgePart({ config, env, logger, version }: PartOptions, instance: string): Promise<McpBridge> {
  return startMcpBridge({
    servers: config.mcpServers,
    instance,
    clientInfo: { name: config.name, version },
    log: logger,
    environment: env,
    clock: systemClock.monotonic,
    random: Math.random,
  });
}
