import { randomUUID } from 'node:crypto';
import { systemClock } from '@stopgo/log';
import { type McpBridge, startMcpBridge } from '@stopgo/mcp-bridge';
import type { PartOptions } from './part.ts';

/** A bridge and the id that calls to it must name. */
export type BridgePart = McpBridge & { readonly instance: string };

/** Starts a bridge to all tool servers of the configuration, under an id of its own. */
export async function startBridgePart({ config, env, logger, version }: PartOptions): Promise<BridgePart> {
  const instance = `bridge-${randomUUID()}`;
  const bridge = await startMcpBridge({
    servers: config.mcpServers,
    instance,
    clientInfo: { name: config.name, version },
    log: logger,
    environment: env,
    clock: systemClock.monotonic,
    random: Math.random,
  });
  return { ...bridge, instance };
}
