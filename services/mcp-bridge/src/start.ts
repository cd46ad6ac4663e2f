import { DomainError, unavailable } from '@stopgo/core';
import { type Clock, type Standing, storeLog, type Waits } from '@stopgo/log';
import type { mcp, store } from '@stopgo/proto';
import type { Client, ServiceImpl } from '@stopgo/rpc';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import { secretFilter } from '@stopgo/security';
import { Attempts } from './attempts/attempts.ts';
import { storeBlobs } from './attempts/blob-keeper.ts';
import { storeTickets } from './attempts/tickets.ts';
import { type BridgeBounds, bridgeBounds } from './bounds.ts';
import { ownCredentials, secretsOf } from './credentials/credentials.ts';
import { isAnotherPlace, reasonOf } from './failures.ts';
import type { Environment } from './lines/child-environment.ts';
import { startLine } from './lines/start-lines.ts';
import { openAtStart } from './servers/open-at-start.ts';
import { waitingHelps } from './servers/open-failure.ts';
import { ServerConnection } from './servers/server-connection.ts';
import { type ServerStatus, serverStatus } from './servers/server-status.ts';
import { UnplacedQuestions } from './servers/unplaced-questions.ts';
import { createService } from './service.ts';
import type { ConnectDependencies } from './session/connect.ts';
import { EraCache, type EraMemory } from './session/era-cache.ts';
import { Acceptance } from './tools/acceptance.ts';
import {
  assembleCatalogue,
  type CatalogueProblem,
  emptyCatalogue,
  sharedTools,
  sharedToolsText,
} from './tools/catalogue.ts';
import { type Pinnable, ServerPins } from './tools/server-pins.ts';
import { tellHeld } from './tools/tell-held.ts';
import { unannotatedLine } from './tools/unannotated-line.ts';

/** What a bridge is started with. */
export type McpBridgeOptions = {
  /** In the order in which they are started. Names are unique. */
  readonly servers: readonly McpServerConfig[];
  /** Id of this instance; every other one is refused in Execute, FenceCall and CancelCall. */
  readonly standing: Standing;
  /** What runs wait for here; whoever gives it tells it with the heartbeat. */
  readonly waits?: Waits;
  /** How the bridge names itself to the servers: the agent's name and version. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly log: Logger;
  /** Our environment, of which stdio servers get a few harmless variables. */
  readonly environment: Environment;
  /** What is on the record. */
  readonly store: Client<typeof store.StoreService>;
  /** Milliseconds that only grow, for durations; not the time of day. */
  readonly clock: () => number;
  /** What pauses of looks into the record are made with, and the times of events. */
  readonly time: Clock;
  /** Ids of events and of questions to people, unique for ever. */
  readonly newId: () => string;
  /** Numbers from 0 to below 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Keeps over restarts which protocol servers speak; absent: each start finds out. */
  readonly eraMemory?: EraMemory;
  /** Aborts when the start is to be given up. */
  readonly stopping?: AbortSignal;
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
 * (`on_start_failure: degrade`) keeps nobody waiting, and is tried again for as long as it takes.
 *
 * @throws Error `failed to start MCP clients: failed to start MCP server "b": …` (a DomainError `unavailable` if it is a
 * server over HTTP that may still come) or `duplicate tool name "X" found in
 * MCP servers "a" and "b"`; or the reason of `stopping`. Whatever was started before has been ended.
 */
export async function startMcpBridge(options: McpBridgeOptions): Promise<McpBridge> {
  const { log, clock, random, stopping: givenUp } = options;
  const bounds = { ...bridgeBounds, ...options.bounds };
  const eras = new EraCache(options.eraMemory);
  const attempts = new Attempts(bounds, clock, options.newId);
  const connections: ServerConnection[] = [];
  const byName = new Map<string, ServerConnection>();
  let catalogue = emptyCatalogue;
  let started = false;
  let stopping: Promise<void> | undefined;

  let leftOut: readonly CatalogueProblem[] = [];
  const assemble = () => {
    // Who is insisted on comes first: a server that may come late takes no name from it.
    const sources = connections
      .toSorted((a, b) => Number(isOptional(a)) - Number(isOptional(b)))
      .map((connection) => ({
        config: connection.config,
        tools: connection.tools.map(withPin),
        instructions: connection.listing.instructions && withPin(connection.listing.instructions),
      }));
    const next = assembleCatalogue(sources, catalogue, bounds.catalogueBytesMax);
    const isKnown = (one: CatalogueProblem) =>
      leftOut.some(({ server, tool }) => server === one.server && tool === one.tool);
    const admits = (server: string) => byName.get(server)?.listing.lines.admits() ?? true;
    for (const one of next.problems.filter((problem) => !isKnown(problem) && admits(problem.server)))
      log.warn(`tool "${one.tool}" of MCP server "${one.server}" is left out: ${one.problem}`);
    tellHeld(catalogue, next.catalogue, admits, log);
    ({ catalogue } = next);
    leftOut = next.problems;
  };
  const { environment, clientInfo } = options;
  const credentialsFor = (server: McpServerConfig) => ownCredentials(server, { bounds, environment, clock });
  const unplaced = new UnplacedQuestions(log, bounds, clock);
  const onUnplaced: ConnectDependencies['onUnplaced'] = (server, why) => unplaced.note(server, why);
  const connectDependencies = { clientInfo, bounds, environment, eras, clock, credentialsFor, onUnplaced };
  const ending = new AbortController();
  const { store, time, newId, standing } = options;
  const pinPorts = { log: storeLog(store), clock: time, random, newId, instance: () => standing.instance, bounds };
  const pinsOf = new Map<string, ServerPins>();
  const withPin = <Offered extends Pinnable & { readonly server: string }>(one: Offered) => ({
    ...one,
    pinStanding: pinsOf.get(one.server)?.standing(one) ?? ('new' as const),
  });
  for (const config of options.servers) {
    const pins = new ServerPins(config, pinPorts, () => {
      if (started) assemble();
    });
    pinsOf.set(config.name, pins);
    const connection = new ServerConnection(config, {
      connect: connectDependencies,
      bounds,
      log,
      clock,
      random,
      onTools: () => {
        if (started) assemble();
      },
      meet: (tools, signal) => pins.meet(tools, signal),
    });
    connections.push(connection);
    byName.set(config.name, connection);
  }

  if (connections.length === 0) log.info('No MCP servers configured');
  let ended: Promise<void> | undefined;
  const endAll = () => {
    givenUp?.removeEventListener('abort', giveUp);
    ended ??= stopAll(connections).catch((problem: unknown) => log.warn(reasonOf(problem)));
    return ended;
  };
  const giveUp = () => void endAll();
  givenUp?.addEventListener('abort', giveUp, { once: true });
  for (const [index, connection] of connections.entries()) {
    if (givenUp?.aborted === true) break;
    const { name } = connection.config;
    log.info(startLine(connection.config));
    if (isOptional(connection)) {
      // Nobody waits for it, however long it takes.
      void openAtStart(connection, { bounds, log, clock }).then(
        () => tellUnannotated(connection, log),
        (error: unknown) => connection.openLater(error),
      );
      continue;
    }
    try {
      await openAtStart(connection, { bounds, log, clock });
    } catch (error) {
      await endAll();
      givenUp?.throwIfAborted();
      const problem = `failed to start MCP clients: failed to start MCP server "${name}": ${reasonOf(error)}`;
      const mayCome = connection.config.transport.kind === 'http' || error instanceof DomainError;
      if (mayCome && waitingHelps(error) && !isAnotherPlace(error)) throw unavailable(problem);
      throw new Error(problem);
    }
    const shared = sharedTools(connections.slice(0, index + 1).filter((one) => !isOptional(one)));
    if (shared === undefined) continue;
    await endAll();
    throw new Error(sharedToolsText(shared));
  }
  givenUp?.removeEventListener('abort', giveUp);
  if (givenUp?.aborted === true) {
    await endAll();
    throw givenUp.reason;
  }
  started = true;
  assemble();
  for (const connection of connections) if (!isOptional(connection)) tellUnannotated(connection, log);
  const follow = async ([server, pins]: [string, ServerPins]) => {
    try {
      await pins.follow(ending.signal);
    } catch (error) {
      const problem = reasonOf(error);
      if (!ending.signal.aborted) log.error(`MCP server "${server}": its pins cannot be followed any more: ${problem}`);
    }
  };
  const followed = Promise.all([...pinsOf].map(follow));

  const describe = () =>
    connections.map((connection) => {
      const left = leftOut.filter(({ server }) => server === connection.config.name);
      const problems = left.map(({ tool, problem }) => ({
        line: `tool "${tool}" is left out: ${problem}`,
        leftOut: { name: tool, reason: problem },
      }));
      const pins = pinsOf.get(connection.config.name);
      const toolsHeld = catalogue.held.filter(({ server }) => server === connection.config.name).length;
      const instructions = catalogue.instructions.find(({ server }) => server === connection.config.name)?.pinStanding;
      const status = { toolsHeld, instructions, identity: pins?.identity ?? '', pinsStrict: pins?.isStrict ?? false };
      return serverStatus(connection, [...problems, ...unplaced.problemsOf(connection.config.name)], status, clock());
    });
  const service = createService({
    standing: options.standing,
    ...(options.waits === undefined ? {} : { waits: options.waits }),
    catalogue: () => {
      for (const connection of connections) connection.listing.refreshIfStale();
      return catalogue;
    },
    unlisted: () => connections.filter(({ listing }) => !listing.isListed).map(({ config }) => config.name),
    attempts,
    servers: describe,
    stopping: () => stopping !== undefined,
    server: (name) => byName.get(name),
    tool: (server, name) =>
      [...catalogue.tools, ...catalogue.held].find((tool) => tool.server === server && tool.name === name),
    tickets: storeTickets({ store, clock: time, random, bounds }),
    blobs: storeBlobs({ store, clock: time, random, log, bounds }),
    secrets: secretFilter(secretsOf(options.servers, environment)),
    acceptance: new Acceptance(
      () => catalogue,
      (server) => pinsOf.get(server),
      bounds.acceptedAtOnceMax,
    ),
    bounds,
    clock,
    onDefect: (trace) => log.error('a call failed in the bridge', { trace }),
  });
  return {
    service,
    describe,
    stop: () => {
      stopping ??= drain(attempts, bounds.drainMs).then(async () => {
        ending.abort(new Error('the bridge is stopping'));
        await Promise.all([stopAll(connections), followed]);
      });
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

function tellUnannotated({ config, tools }: ServerConnection, log: Logger): void {
  const line = unannotatedLine(config.name, tools, config.unannotated);
  if (line !== undefined) log.info(line);
}
