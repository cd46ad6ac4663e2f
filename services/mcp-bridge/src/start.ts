import { type Clock, type Standing, storeLog, type Waits } from '@stopgo/log';
import type { mcp, store } from '@stopgo/proto';
import type { Client, ServiceImpl } from '@stopgo/rpc';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import { type Sealer, secretFilter } from '@stopgo/security';
import { Attempts } from './attempts/attempts.ts';
import { storeBlobs } from './attempts/blob-keeper.ts';
import { storeTickets } from './attempts/tickets.ts';
import { type BridgeBounds, bridgeBounds } from './bounds.ts';
import { Accounts } from './connections/accounts.ts';
import { accountsService } from './connections/service.ts';
import { ownCredentials, secretsOf } from './credentials/credentials.ts';
import type { Environment } from './lines/child-environment.ts';
import { LiveCatalogue } from './servers/live-catalogue.ts';
import { openInTurn } from './servers/open-at-start.ts';
import { ServerConnection } from './servers/server-connection.ts';
import { type ServerStatus, serverStatuses } from './servers/server-status.ts';
import { followPins, isOptional, stopAll, type ToolServer } from './servers/tool-servers.ts';
import { UnplacedQuestions } from './servers/unplaced-questions.ts';
import { createService, type ServiceDependencies } from './service.ts';
import type { ConnectDependencies } from './session/connect.ts';
import { EraCache, type EraMemory } from './session/era-cache.ts';
import { Acceptance } from './tools/acceptance.ts';
import { type Pinnable, ServerPins } from './tools/server-pins.ts';
import { tellUnannotated } from './tools/tell-tools.ts';

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
  /** What nothing that a server answers may repeat, beside what the configuration gives to the servers: the keys of models. */
  readonly secrets: readonly string[];
  /** Our environment, of which stdio servers get a few harmless variables. */
  readonly environment: Environment;
  /** Folders and files of the platform, which no server in a sandbox may see, whatever its configuration names. */
  readonly hiddenFolders?: readonly string[];
  /** What is on the record. */
  readonly store: Client<typeof store.StoreService>;
  /** Whether the store is another process, so that a look at the record costs a round trip; absent: it is not. */
  readonly isStoreFar?: boolean;
  /** Milliseconds that only grow, for durations; not the time of day. */
  readonly clock: () => number;
  /** What pauses of looks into the record are made with, and the times of events. */
  readonly time: Clock;
  /** Ids of events and of questions to people, unique for ever. */
  readonly newId: () => string;
  /** Numbers from 0 to below 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Seals what is kept of accounts that users connect; absent: none can be connected. */
  readonly sealer?: Sealer;
  readonly randomBytes?: (length: number) => Uint8Array;
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
  /** What users do with accounts at its servers. */
  readonly accounts: ServiceImpl<typeof mcp.AccountsService>;
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
  const { log, clock } = options;
  const bounds = { ...bridgeBounds, ...options.bounds };
  const unplaced = new UnplacedQuestions(log, bounds, clock);
  const servers = configuredServers(options, bounds, unplaced, () => catalogue.changed());
  const catalogue = new LiveCatalogue(servers, bounds.catalogueBytesMax, log);
  await openInTurn(servers, { bounds, log, clock }, options.stopping);
  catalogue.begin();
  for (const server of servers) if (!isOptional(server)) tellUnannotated(server.connection, log);
  const ending = new AbortController();
  const followed = followPins(servers, log, ending.signal);
  const attempts = new Attempts(bounds, clock, options.newId);
  const accounts = accountsOf(options, bounds);
  let stopping: Promise<void> | undefined;
  const describe = () => serverStatuses(servers, catalogue, unplaced, clock());
  const parts = { servers, catalogue, attempts, accounts, describe, stopping: () => stopping !== undefined };
  return {
    service: createService(serviceDependencies(options, bounds, parts)),
    accounts: accountsService(accounts),
    describe,
    stop: () => {
      stopping ??= drain(attempts, bounds.drainMs).then(async () => {
        ending.abort(new Error('the bridge is stopping'));
        await Promise.all([stopAll(servers), followed]);
      });
      return stopping;
    },
  };
}

/** The servers in the order of the configuration, none of them open. `onChange`: one has other tools, or something else is accepted of it. */
function configuredServers(
  options: McpBridgeOptions,
  bounds: BridgeBounds,
  unplaced: UnplacedQuestions,
  onChange: () => void,
): readonly ToolServer[] {
  const { log, clock, random, environment, clientInfo, store, time, newId, standing, hiddenFolders = [] } = options;
  const eras = new EraCache(options.eraMemory);
  const credentialsFor = (server: McpServerConfig) => ownCredentials(server, { bounds, environment, clock });
  const onUnplaced: ConnectDependencies['onUnplaced'] = (server, why) => unplaced.note(server, why);
  const connect = { clientInfo, bounds, environment, hiddenFolders, eras, clock, credentialsFor, onUnplaced };
  const pinPorts = { log: storeLog(store), clock: time, random, newId, instance: () => standing.instance, bounds };
  return options.servers.map((config) => {
    const pins = new ServerPins(config, pinPorts, onChange);
    const meet = (tools: readonly Pinnable[], signal: AbortSignal) => pins.meet(tools, signal);
    return {
      pins,
      connection: new ServerConnection(config, { connect, bounds, log, clock, random, onTools: onChange, meet }),
    };
  });
}

function accountsOf(
  { servers, store, time, newId, random, environment, standing, log, sealer, randomBytes }: McpBridgeOptions,
  bounds: BridgeBounds,
): Accounts {
  const record = { store, clock: time, newId, random };
  const instance = () => standing.instance;
  const sealing = sealer === undefined || randomBytes === undefined ? undefined : { sealer, randomBytes };
  const onAway = (reason: string) => log.warn('no token of a connected account was to be had', { reason });
  return new Accounts(servers, { ...record, environment, instance, bounds, onAway, sealing });
}

/** What a bridge is made of once its servers are open. */
type BridgeParts = {
  readonly servers: readonly ToolServer[];
  readonly catalogue: LiveCatalogue;
  readonly attempts: Attempts;
  readonly accounts: Accounts;
  readonly describe: () => readonly ServerStatus[];
  readonly stopping: () => boolean;
};

function serviceDependencies(
  {
    standing,
    waits,
    store,
    isStoreFar = false,
    time,
    random,
    log,
    environment,
    clock,
    secrets,
    servers: configs,
  }: McpBridgeOptions,
  bounds: BridgeBounds,
  { servers, catalogue, attempts, accounts, describe, stopping }: BridgeParts,
): ServiceDependencies {
  const byName = new Map(servers.map((server) => [server.connection.config.name, server]));
  return {
    ...{ standing, attempts, accounts, bounds, clock, stopping },
    ...(waits === undefined ? {} : { waits }),
    catalogue: () => {
      for (const { connection } of servers) connection.listing.refreshIfStale();
      return catalogue.now;
    },
    unlisted: () =>
      servers.filter(({ connection }) => !connection.listing.isListed).map(({ connection }) => connection.config.name),
    servers: describe,
    server: (name) => byName.get(name)?.connection,
    tool: (server, name) => catalogue.find(server, name),
    tickets: storeTickets({ store, clock: time, random, isFar: isStoreFar, bounds }),
    blobs: storeBlobs({ store, clock: time, random, log, bounds }),
    secrets: secretFilter([...secrets, ...secretsOf(configs, environment)]),
    acceptance: new Acceptance(
      () => catalogue.now,
      new Map([...byName].map(([name, { pins }]) => [name, pins])),
      bounds.acceptedAtOnceMax,
    ),
    onDefect: (trace) => log.error('a call failed in the bridge', { trace }),
  };
}

/** Waits for running calls; those that take too long are asked to end. */
async function drain(attempts: Attempts, ms: number): Promise<void> {
  const limit = setTimeout(() => attempts.cancelAll(), ms);
  await attempts.idle();
  clearTimeout(limit);
}
