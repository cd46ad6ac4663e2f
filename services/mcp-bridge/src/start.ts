import { unavailable } from '@stopgo/core';
import type { Standing } from '@stopgo/log';
import type { mcp } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import { Attempts } from './attempts.ts';
import { type BridgeBounds, bridgeBounds } from './bounds.ts';
import { assembleCatalogue, duplicateTool, emptyCatalogue } from './catalogue.ts';
import type { Environment } from './child-environment.ts';
import { EraCache } from './era-cache.ts';
import { reasonOf } from './failures.ts';
import { openAtStart, waitingHelps } from './open-at-start.ts';
import { ServerConnection } from './server-connection.ts';
import { createService } from './service.ts';
import { startLine } from './start-lines.ts';

/** What a bridge is started with. */
export type McpBridgeOptions = {
  /** In the order in which they are started. Names are unique. */
  readonly servers: readonly McpServerConfig[];
  /** Id of this instance; every other one is refused in Execute, FenceCall and CancelCall. */
  readonly standing: Standing;
  /** How the bridge names itself to the servers: the agent's name and version. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly log: Logger;
  /** Our environment, of which stdio servers get a few harmless variables. */
  readonly environment: Environment;
  /** Milliseconds that only grow, for durations; not the time of day. */
  readonly clock: () => number;
  /** Numbers from 0 to below 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Only tests give other bounds. */
  readonly bounds?: Partial<BridgeBounds>;
};

/** A server as it stands now. */
export type ServerStatus = {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reason?: string;
  /** Tools as last listed. */
  readonly tools: number;
};

/** A running bridge. */
export type McpBridge = {
  readonly service: ServiceImpl<typeof mcp.McpBridgeService>;
  /** The servers in the order of the configuration. */
  describe(): readonly ServerStatus[];
  /**
   * Ends everything: no new call, running calls have a few seconds, then connections and processes are ended. All of
   * them, also if one fails; then it throws `errors stopping MCP clients: a: …; b: …`.
   */
  stop(): Promise<void>;
};

/**
 * Starts the bridge: every server in turn, all or nothing. No server at all is fine.
 *
 * @throws Error `failed to start MCP clients: failed to start MCP server "b": …` (a DomainError `unavailable` if it is a
 * server over HTTP that may still come) or `duplicate tool name "X" found in
 * MCP servers "a" and "b"`; whatever was started before has been ended.
 */
export async function startMcpBridge(options: McpBridgeOptions): Promise<McpBridge> {
  const { log, clock, random } = options;
  const bounds = { ...bridgeBounds, ...options.bounds };
  const eras = new EraCache();
  const attempts = new Attempts(bounds, clock);
  const connections: ServerConnection[] = [];
  let catalogue = emptyCatalogue;
  let started = false;
  let stopping: Promise<void> | undefined;

  const assemble = () => {
    const next = assembleCatalogue(connections, catalogue, bounds.catalogueBytesMax);
    catalogue = next.catalogue;
    for (const problem of next.problems) log.warn(problem);
  };
  const connectDependencies = { clientInfo: options.clientInfo, bounds, environment: options.environment, eras, clock };
  for (const config of options.servers) {
    connections.push(
      new ServerConnection(config, {
        connect: connectDependencies,
        bounds,
        log,
        clock,
        random,
        onTools: () => {
          if (started) assemble();
        },
      }),
    );
  }

  if (connections.length === 0) log.info('No MCP servers configured');
  for (const [index, connection] of connections.entries()) {
    const { name } = connection.config;
    log.info(startLine(connection.config));
    try {
      await openAtStart(connection, { bounds, log, clock });
    } catch (error) {
      await stopAll(connections).catch((problem: unknown) => log.warn(reasonOf(problem)));
      const problem = `failed to start MCP clients: failed to start MCP server "${name}": ${reasonOf(error)}`;
      if (connection.config.transport.kind === 'http' && waitingHelps(error)) throw unavailable(problem);
      throw new Error(problem);
    }
    const duplicate = duplicateTool(connections.slice(0, index + 1));
    if (duplicate === undefined) continue;
    await stopAll(connections).catch((problem: unknown) => log.warn(reasonOf(problem)));
    const { tool, first, second } = duplicate;
    throw new Error(`duplicate tool name "${tool}" found in MCP servers "${first}" and "${second}"`);
  }
  started = true;
  assemble();

  const byName = new Map(connections.map((connection) => [connection.config.name, connection]));
  const service = createService({
    standing: options.standing,
    catalogue: () => {
      for (const connection of connections) connection.refreshIfStale();
      return catalogue;
    },
    attempts,
    stopping: () => stopping !== undefined,
    server: (name) => byName.get(name),
    tool: (server, name) => catalogue.tools.find((tool) => tool.server === server && tool.name === name),
    bounds,
    clock,
    onDefect: (trace) => log.error('a call failed in the bridge', { trace }),
  });
  return {
    service,
    describe: () => connections.map(statusOf),
    stop: () => {
      stopping ??= drain(attempts, bounds.drainMs).then(() => stopAll(connections));
      return stopping;
    },
  };
}

/** Waits for running calls; those that take too long are asked to end. */
async function drain(attempts: Attempts, ms: number): Promise<void> {
  const limit = setTimeout(() => attempts.cancelAll(), ms);
  await attempts.idle();
  clearTimeout(limit);
}

async function stopAll(connections: readonly ServerConnection[]): Promise<void> {
  const ends = await Promise.allSettled(connections.map((connection) => connection.stop()));
  const problems = ends.flatMap((end, index) =>
    end.status === 'rejected' ? [`${connections[index]?.config.name}: ${reasonOf(end.reason)}`] : [],
  );
  if (problems.length > 0) throw new Error(`errors stopping MCP clients: ${problems.join('; ')}`);
}

function statusOf({ config, downReason, tools }: ServerConnection): ServerStatus {
  return {
    name: config.name,
    transport: config.transport.kind,
    ready: downReason === undefined,
    ...(downReason === undefined ? {} : { reason: downReason }),
    tools: tools.length,
  };
}
