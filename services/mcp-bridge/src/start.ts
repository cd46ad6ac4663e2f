import { unavailable } from '@stopgo/core';
import type { Standing } from '@stopgo/log';
import type { mcp } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import { Attempts } from './attempts.ts';
import { type BridgeBounds, bridgeBounds } from './bounds.ts';
import { assembleCatalogue, type CatalogueProblem, duplicateTool, emptyCatalogue } from './catalogue.ts';
import type { Environment } from './child-environment.ts';
import { ownCredentials } from './credentials.ts';
import { EraCache } from './era-cache.ts';
import { reasonOf } from './failures.ts';
import { openAtStart } from './open-at-start.ts';
import { waitingHelps } from './open-failure.ts';
import { ServerConnection } from './server-connection.ts';
import { type ServerStatus, serverStatus } from './server-status.ts';
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
  /** Ids of questions to people, unique for ever. */
  readonly newId: () => string;
  /** Numbers from 0 to below 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Only tests give other bounds. */
  readonly bounds?: Partial<BridgeBounds>;
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
 * Starts the bridge: every server in turn, all or nothing. No server at all is fine. A server that is not insisted on
 * (`on_start_failure: degrade`) keeps nobody waiting for longer than a moment, and is tried again for as long as it takes.
 *
 * @throws Error `failed to start MCP clients: failed to start MCP server "b": …` (a DomainError `unavailable` if it is a
 * server over HTTP that may still come) or `duplicate tool name "X" found in
 * MCP servers "a" and "b"`; whatever was started before has been ended.
 */
export async function startMcpBridge(options: McpBridgeOptions): Promise<McpBridge> {
  const { log, clock, random } = options;
  const bounds = { ...bridgeBounds, ...options.bounds };
  const eras = new EraCache();
  const attempts = new Attempts(bounds, clock, options.newId);
  const connections: ServerConnection[] = [];
  let catalogue = emptyCatalogue;
  let started = false;
  let stopping: Promise<void> | undefined;

  let leftOut: readonly CatalogueProblem[] = [];
  const assemble = () => {
    // Who is insisted on comes first: a server that may come late takes no name from it.
    const sources = connections.toSorted((a, b) => Number(isOptional(a)) - Number(isOptional(b)));
    const next = assembleCatalogue(sources, catalogue, bounds.catalogueBytesMax);
    const isKnown = (one: CatalogueProblem) =>
      leftOut.some(({ server, tool }) => server === one.server && tool === one.tool);
    for (const one of next.problems.filter((problem) => !isKnown(problem)))
      log.warn(`tool "${one.tool}" of MCP server "${one.server}" is left out: ${one.problem}`);
    ({ catalogue } = next);
    leftOut = next.problems;
  };
  const { environment, clientInfo } = options;
  const credentialsFor = (server: McpServerConfig) => ownCredentials(server, { bounds, environment, clock });
  const connectDependencies = { clientInfo, bounds, environment, eras, clock, credentialsFor };
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
  const late: Promise<void>[] = [];
  for (const [index, connection] of connections.entries()) {
    const { name } = connection.config;
    log.info(startLine(connection.config));
    if (isOptional(connection)) {
      const opening = openAtStart(connection, { bounds, log, clock });
      late.push(opening.catch((error: unknown) => connection.openLater(error)));
      continue;
    }
    try {
      await openAtStart(connection, { bounds, log, clock });
    } catch (error) {
      await stopAll(connections).catch((problem: unknown) => log.warn(reasonOf(problem)));
      const problem = `failed to start MCP clients: failed to start MCP server "${name}": ${reasonOf(error)}`;
      if (connection.config.transport.kind === 'http' && waitingHelps(error)) throw unavailable(problem);
      throw new Error(problem);
    }
    const duplicate = duplicateTool(connections.slice(0, index + 1).filter((one) => !isOptional(one)));
    if (duplicate === undefined) continue;
    await stopAll(connections).catch((problem: unknown) => log.warn(reasonOf(problem)));
    const { tool, first, second } = duplicate;
    throw new Error(`duplicate tool name "${tool}" found in MCP servers "${first}" and "${second}"`);
  }
  await within(bounds.degradedStartMs, Promise.all(late));
  started = true;
  assemble();

  const describe = () =>
    connections.map((connection) => {
      const left = leftOut.filter(({ server }) => server === connection.config.name);
      const lines = left.map(({ tool, problem }) => `tool "${tool}" is left out: ${problem}`);
      return serverStatus(connection, lines, clock());
    });
  const byName = new Map(connections.map((connection) => [connection.config.name, connection]));
  const service = createService({
    standing: options.standing,
    catalogue: () => {
      for (const connection of connections) connection.listing.refreshIfStale();
      return catalogue;
    },
    attempts,
    servers: describe,
    stopping: () => stopping !== undefined,
    server: (name) => byName.get(name),
    tool: (server, name) => catalogue.tools.find((tool) => tool.server === server && tool.name === name),
    bounds,
    clock,
    onDefect: (trace) => log.error('a call failed in the bridge', { trace }),
  });
  return {
    service,
    describe,
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

/** Whether the agent starts without it. */
function isOptional({ config }: ServerConnection): boolean {
  return config.onStartFailure === 'degrade';
}

/** Waits for the work, but no longer than so many milliseconds. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
