import type { Logger } from '@stopgo/runtime';
import { reasonOf } from '../failures.ts';
import type { ServerPins } from '../tools/server-pins.ts';
import type { ServerConnection } from './server-connection.ts';

/** A server of the configuration: the connection to it, and what is accepted of it. */
export type ToolServer = { readonly connection: ServerConnection; readonly pins: ServerPins };

/** Whether the agent starts without it. */
export function isOptional({ connection }: ToolServer): boolean {
  return connection.config.onStartFailure === 'degrade';
}

/** Takes note of what others accept of them, until the signal aborts. Never rejects. */
export async function followPins(servers: readonly ToolServer[], log: Logger, signal: AbortSignal): Promise<void> {
  const follow = async ({ connection, pins }: ToolServer) => {
    try {
      await pins.follow(signal);
    } catch (error) {
      const { name } = connection.config;
      const problem = reasonOf(error);
      if (!signal.aborted) log.error(`MCP server "${name}": its pins cannot be followed any more: ${problem}`);
    }
  };
  await Promise.all(servers.map(follow));
}

/** Ends all, also if one fails; then it throws `errors stopping MCP clients: a: …; b: …`. */
export async function stopAll(servers: readonly ToolServer[]): Promise<void> {
  const ends = await Promise.allSettled(servers.map(({ connection }) => connection.stop()));
  const problems = ends.flatMap((end, index) =>
    end.status === 'rejected' ? [`${servers[index]?.connection.config.name}: ${reasonOf(end.reason)}`] : [],
  );
  if (problems.length > 0) throw new Error(`errors stopping MCP clients: ${problems.join('; ')}`);
}
