import { type AgentDefinition, type CallingLimits, type Policy, pendingApprovals } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import { Heartbeat, isUnknown, storeBeat, storeLog, Waits } from '@stopgo/log';
import type { memory as memoryWire, registry, store, orchestrator as wire } from '@stopgo/proto';
import type { Client, ServiceImpl } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import { secretFilter } from '@stopgo/security';
import { A2aDelegations } from './a2a/delegations.ts';
import { WaitingRuns } from './accounts/waiting-runs.ts';
import { noAgents } from './agents/callable.ts';
import { ConfiguredAgent } from './agents/configured-agent.ts';
import { DescribedAgent } from './agents/described-agent.ts';
import { AllAgents, PlatformAgents } from './agents/platform-agents.ts';
import { registryLookup } from './agents/registry-lookup.ts';
import { storeBlobs, storeKeeps } from './blobs.ts';
import { blobRoomBytes, stopGraceMs } from './bounds.ts';
import type { ConnectBridge } from './bridges/directory.ts';
import { BridgeTools } from './bridges/tools.ts';
import { storeContexts } from './contexts.ts';
import { RecordedDefinitions } from './definitions.ts';
import { storeDeltas } from './deltas.ts';
import { Nudges } from './driver/delegations/nudges.ts';
import { Registrations } from './driver/delegations/registrations.ts';
import { watchTimes as defaultWatchTimes, TaskWatch, type WatchTimes } from './driver/delegations/task-watch.ts';
import { AgentNews } from './driver/handle/agent-news.ts';
import type { DriverPorts } from './driver/handle/ports.ts';
import { Room } from './driver/handle/room.ts';
import { Registry, stopReason } from './driver/run/registry.ts';
import { AgentMemories } from './memories/agent-memories.ts';
import { memoryService } from './memories/service.ts';
import { Outage } from './outage.ts';
import { Callbacks } from './push/callbacks.ts';
import { type PushParts, startOutbox } from './push/start-outbox.ts';
import { orchestratorService } from './server.ts';
import { ToolSizes } from './tool-sizes.ts';
import { UnmatchedTools } from './unmatched-tools.ts';
import { modelsWithoutSecrets, toolsWithoutSecrets } from './without-secrets.ts';

/** Names of agents that are not there, of which one process tells. */
const unknownToldMax = 1_000;

/** What an orchestrator is given. */
export type OrchestratorDependencies = {
  /** Id of this process; never used twice. */
  readonly instance: string;
  readonly store: Client<typeof store.StoreService>;
  /** The way to a bridge at the address that its heartbeat names; empty for one that is in this process. */
  readonly connectBridge: ConnectBridge;
  readonly models: DriverPorts['models'];
  /** Where agents from repositories are looked up; absent: there are none. */
  readonly registry?: Client<typeof registry.RegistryService>;
  /** API keys and tokens of this process, which nothing that is answered may repeat; those of less than 8 characters are ignored. */
  readonly secrets?: readonly string[];
  /** How addresses are told of tasks; absent: those of the public network only, without credentials. */
  readonly push?: PushParts;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
  readonly log: Logger;
};

export type OrchestratorConfig = {
  readonly agent: AgentDefinition;
  /** Shown as the first message of a conversation; may be empty. */
  readonly systemPrompt: string;
  /** What calls are judged by beside the defaults; absent: by nothing else. */
  readonly policy?: Policy;
  /** What holds for agents from repositories, which call each other; absent: there are none. */
  readonly calling?: CallingLimits;
  readonly heartbeatTtlMs: number;
  readonly runsMax: number;
  /** Whether users connect accounts at tool servers: then runs that wait for one go on by themselves. */
  readonly hasAccounts?: boolean;
  /** How often tasks of other agents that wait for an answer here are looked at; absent: 15 s, and up to 5 minutes. */
  readonly watchTimes?: WatchTimes;
};

export type Orchestrator = {
  readonly service: ServiceImpl<typeof wire.OrchestratorService>;
  /** What people look at of what agents remember. */
  readonly memories: ServiceImpl<typeof memoryWire.MemoryService>;
  /** Lets runs go on for a while, then stops driving. What is left is taken up by the next process. */
  stop(): Promise<void>;
};

/**
 * Starts an orchestrator. It needs nobody else to be there: what it finds missing it waits for while it serves. Without a
 * bridge it drives what needs no tools, and takes messages as soon as any bridge has once told its tools.
 */
export async function startOrchestrator(
  config: OrchestratorConfig,
  given: OrchestratorDependencies,
): Promise<Orchestrator> {
  const { instance, clock, newId, random, connectBridge, log: logger } = given;
  const { heartbeatTtlMs: ttlMs } = config;
  const stopping = new AbortController();
  const log = storeLog(given.store);
  const waits = new Waits(clock.now, ({ kind, name, reason, conversationId, runId }) =>
    logger.info('a run waits', { for: kind, name, reason, conversation: conversationId, run: runId }),
  );
  const heartbeat = new Heartbeat({
    waits: () => waits.told(),
    beat: storeBeat(given.store, ttlMs),
    clock,
    ttlMs,
    instance,
    role: 'orchestrator',
  });
  const tools = new BridgeTools({ connect: connectBridge, liveness: heartbeat, clock });
  const definitions = new RecordedDefinitions({ instance, log, clock, newId, random });
  const memories = new AgentMemories({ instance, log, clock, newId, random });
  const store = new Outage('the store', logger);
  const bridge = new Outage('the tool bridge', logger);
  const delegations = new A2aDelegations(clock, given.secrets, (agent, origin) =>
    logger.warn(
      'a token was withheld: the card of an agent names another origin than its url; list it in token_origins if it may have it',
      { agent, origin },
    ),
  );
  const secrets = secretFilter(given.secrets ?? []);
  const { policy } = config;
  const unknown = new Set<string>();
  const fromRepositories =
    given.registry &&
    config.calling &&
    new PlatformAgents({
      ...{ lookup: registryLookup(given.registry), limits: config.calling, tools, definitions },
      ...(policy && { policy }),
      reservedName: config.agent.name,
      onUnknown: (agent, allowed) => {
        const key = `${agent}\n${allowed}`;
        if (unknown.has(key) || unknown.size >= unknownToldMax) return;
        unknown.add(key);
        logger.warn('an agent may call one that there is not', { agent, allowed });
      },
    });
  const ports: DriverPorts = {
    instance,
    log,
    tools: toolsWithoutSecrets(tools, secrets),
    delegations,
    agents: fromRepositories ?? noAgents,
    memories,
    definitions,
    blobs: storeBlobs(given.store),
    blobRoom: new Room(blobRoomBytes),
    models: modelsWithoutSecrets(given.models, secrets),
    liveness: heartbeat,
    clock,
    newId,
    random,
    deltas: storeDeltas(given.store, clock),
    waits,
    onModelFailed: (failure) => logger.warn('a model call failed', { ...failure }),
    onUnasked: (call) => logger.info('a destructive call runs without asking', { ...call }),
    news: new AgentNews((agent, reason) =>
      logger.warn('an agent does not answer when it is asked about a task', { agent, reason }),
    ),
    onFault: (error, where) => {
      // What is out of reach is no fault: the sweep comes by again.
      if (isUnknown(error)) return store.failed(error);
      logger.error(`fault: ${where}`, {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    },
  };
  const registry = new Registry(ports, definitions, config.runsMax);
  const push = given.push ?? { allowPrivate: false, key: () => undefined };
  const outbox = startOutbox(push, ports, given.store, logger, { agent: config.agent.name, secrets });
  registry.onStart = (conversationId) => outbox.poke(conversationId);
  const watchTimes = config.watchTimes ?? defaultWatchTimes;
  const callbacks = new Callbacks(push.publicUrl, push.key);
  const registrations = new Registrations({
    delegations,
    callbackOf: ({ key, messageId }) => callbacks.of({ conversationId: key.conversationId, messageId }),
    note: (agent, reason) => logger.info('an agent does not call back; its tasks are looked at', { agent, reason }),
  });
  const watch = new TaskWatch(
    {
      ports,
      definitions,
      registrations,
      load: (conversationId) => registry.load(conversationId),
      resume: (conversationId, bearer) => registry.resume(conversationId, bearer),
    },
    watchTimes,
  );
  const waiting = config.hasAccounts
    ? new WaitingRuns({
        ...{ ports, store: given.store, onFault: ports.onFault },
        load: (conversationId) => registry.load(conversationId),
        resume: (conversationId) => registry.resume(conversationId),
      })
    : undefined;
  registry.onRest = (state, bearer) => {
    void waiting?.rested(state);
    if (pendingApprovals(state.run).length > 0) outbox.asked(state.id);
    void watch.rested(state, bearer);
  };
  const nudges = new Nudges((conversationId, messageId) => watch.called(conversationId, messageId), {
    ...{ clock, signal: stopping.signal, onFault: ports.onFault },
  });
  const described = new DescribedAgent(config.agent, (url, signal) => delegations.about(url, signal));
  const { systemPrompt } = config;
  const configured = new ConfiguredAgent({
    ...{ definition: () => described.now, systemPrompt, tools, definitions },
    ...(policy && { policy }),
  });
  const agents = fromRepositories ? new AllAgents(configured, fromRepositories, stopping.signal) : configured;
  const isStoreThere = await heartbeat.renew();
  // Before anything below is waited for: a bridge that is slow to answer must not have others take this process for dead.
  const beating = heartbeat.run(() => tools.look());
  const sizes = new ToolSizes(config.agent, (line) => logger.warn(line));
  const unmatched = new UnmatchedTools(config.agent, (fields) =>
    logger.warn('a pattern in tools of a node matches no tool that there is now; GET /tools lists them', fields),
  );
  const refresh = () =>
    bridge.during(async () => {
      await tools.refresh();
      sizes.look(tools.known());
      unmatched.look(tools.known());
    });
  const sweep = () =>
    store.during(async () => {
      await registry.sweep();
      await outbox.sweep();
    });
  await refresh();
  // Beforehand, so that the first message does not wait for it; it records what is missing then.
  if (isStoreThere && tools.known() !== undefined)
    await store.during(async () => void (await (await agents.default()).forRun(stopping.signal)));
  await sweep();
  const repeating = [
    ...[refresh, sweep].map((work) => every(ttlMs / 2, clock, stopping.signal, work)),
    every(watchTimes.firstMs, clock, stopping.signal, () => store.during(() => watch.round())),
  ];
  if (waiting !== undefined) repeating.push(waiting.follow(clock, ttlMs / 2, stopping.signal));
  repeating.push(described.keepAsking(clock, stopping.signal));
  return {
    service: orchestratorService({
      ...{ registry, watch, definitions, outbox, agents, keepBlob: storeKeeps(given.store) },
      calledBack: { callbacks, nudges },
      contexts: storeContexts(given.store),
      signal: stopping.signal,
    }),
    memories: memoryService(memories, clock),
    stop: async () => {
      await registry.stop(stopGraceMs);
      // A request may wait for the store still: it is told to ask somebody else.
      stopping.abort(stopReason());
      await Promise.all([...repeating, outbox.stop()]);
      tools.close();
      // Nothing is driven here any more: whoever hears of it may take over at once.
      await heartbeat.leave();
      await beating;
    },
  };
}

async function every(pauseMs: number, clock: Clock, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(pauseMs, signal).catch(() => undefined);
    if (!signal.aborted) await work();
  }
}
