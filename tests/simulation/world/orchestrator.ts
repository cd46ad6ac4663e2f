import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  type AgentDefinition,
  anonymous,
  approvalIn,
  choiceWords,
  type Definitions,
  definedAs,
  editCall,
  fact,
  type HumanDecision,
  nothingEarlier,
  type RunState,
  resolveApproval,
  voterOf,
} from '@stopgo/core';
import { clientKey, Heartbeat, type Liveness, transact, Waits } from '@stopgo/log';
import {
  AgentNews,
  type BridgeConnection,
  BridgeTools,
  ConfiguredAgent,
  type DriverPorts,
  orchestratorService,
  PlatformAgents,
  RecordedDefinitions,
  Registry,
  Room,
  TaskWatch,
} from '@stopgo/orchestrator';
import { envelope, orchestrator as orchestratorWire, facts as wire } from '@stopgo/proto';
import { type CallContext, Secret } from '@stopgo/rpc';
import type { Bridge } from './bridge.ts';
import { connectionTo } from './bridge-client.ts';
import { agentLookup, callingCatalogue, memoryPort } from './calling.ts';
import { checkLive, checkModelRequest } from './checks-now.ts';
import { delegationPort } from './delegations.ts';
import { noRules } from './edits.ts';
import { beatPort, logPort } from './log-port.ts';
import { modelPort } from './model.ts';
import { mutatedLog } from './mutated-log.ts';
import type { Said } from './questions.ts';
import { VirtualProcess } from './scheduler.ts';
import type { World } from './world.ts';

/** How often the tasks of other agents are looked at, in virtual milliseconds: often enough for a world's short time. */
const watchTimes = { firstMs: 1_500, mostMs: 6_000 };

/** What a process sees of the others. */
export type Neighbours = {
  /** The bridge that is at an address now, dead or alive. */
  bridgeAt(address: string): Bridge;
};

/** The real registry; the state of each of its drivers is held against the log whenever it changes. */
class WatchedRegistry extends Registry {
  private readonly world: World;

  constructor(world: World, ...rest: ConstructorParameters<typeof Registry>) {
    super(...rest);
    this.world = world;
  }

  override changed(driver: Parameters<Registry['changed']>[0]): void {
    checkLive(this.world, this.ports.instance, driver.conversationId, driver.state);
    super.changed(driver);
  }
}

/** One orchestrator process, wired as the real one is: registry, heartbeat, definitions, sweeps, and the services' surfaces. */
export class OrchestratorProcess {
  readonly process: VirtualProcess;
  readonly registry: Registry;
  isReady = false;
  private readonly world: World;
  private readonly service: ReturnType<typeof orchestratorService>;
  private readonly ports: DriverPorts;
  private readonly heartbeat: Heartbeat;
  private readonly definitions: RecordedDefinitions;
  private readonly tools: BridgeTools;
  private readonly platform: PlatformAgents;
  private readonly watch: TaskWatch;
  private cutUntil = 0;

  constructor(world: World, name: string, agent: AgentDefinition, neighbours: Neighbours) {
    this.world = world;
    this.process = new VirtualProcess(name, 'orchestrator', world.random.whole(-5_000, 5_000));
    const { network } = world;
    const clock = network.clockOf(this.process);
    const log = mutatedLog(world, logPort(world, this.process));
    const beat = beatPort(world, this.process, () => world.scheduler.now < this.cutUntil);
    const { ttlMs } = world.scenario;
    this.heartbeat = new Heartbeat({ beat, clock, ttlMs, instance: name, role: 'orchestrator' });
    const connect = (address: string): BridgeConnection =>
      connectionTo(world, this.process, () => neighbours.bridgeAt(address));
    this.tools = new BridgeTools({ connect, liveness: this.heartbeat, clock });
    const isUnruly = world.hasMutation('draws-from-the-machine');
    const newId = (): string => (isUnruly ? randomUUID() : world.ids.uuid());
    const random = (): number => world.random.next();
    this.definitions = new RecordedDefinitions({ instance: name, log, clock, newId, random });
    this.platform = new PlatformAgents({
      lookup: agentLookup(world, this.process, this.definitions, this.tools),
      limits: { depthMax: 3, callsMax: 5, circlesAllowed: false },
      tools: this.tools,
      definitions: this.definitions,
    });
    let asking: Parameters<DriverPorts['deltas']['publish']>[0] | undefined;
    const model = modelPort(world, this.process, (request) => {
      if (asking !== undefined) checkModelRequest(world, name, asking, request);
    });
    this.ports = {
      instance: name,
      log,
      tools: this.tools,
      agents: { forCall: (agent, signal) => this.platform.forCall(agent, signal) },
      memories: memoryPort(world, { instance: name, log, clock, newId, random }),
      definitions: this.definitions,
      delegations: delegationPort(world, this.process),
      models: { forModel: () => model },
      liveness: this.liveness(),
      clock,
      newId,
      random,
      deltas: {
        publish: (delta) => {
          asking = delta;
        },
        watched: () => undefined,
        ended: () => undefined,
      },
      blobs: { read: () => Promise.reject(new Error('there are no blobs')) },
      blobRoom: new Room(1),
      onModelFailed: () => undefined,
      waits: new Waits(() => 0),
      news: new AgentNews(() => undefined),
      onFault: (error, where) => {
        if (!this.process.isAlive) return;
        world.count('faults reported');
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        world.faultsSeen.push(`${where}: ${text}`);
        world.trace(() => `${name} reports a fault: ${where}: ${text}`);
      },
    };
    this.registry = new WatchedRegistry(world, this.ports, this.definitions, 1_000);
    const { registry, definitions } = this;
    this.watch = new TaskWatch(
      {
        ports: this.ports,
        definitions,
        load: (id) => registry.load(id),
        resume: (id, bearer) => registry.resume(id, bearer),
      },
      watchTimes,
    );
    this.service = orchestratorService({
      registry: this.registry,
      watch: this.watch,
      definitions: this.definitions,
      // Nobody gives files here.
      keepBlob: async () => false,
      agents: world.scenario.calls
        ? callingCatalogue(this.platform)
        : new ConfiguredAgent({
            definition: () => agent,
            systemPrompt: '',
            ...(world.scenario.policy && { policy: world.scenario.policy }),
            tools: this.tools,
            definitions: this.definitions,
          }),
      contexts: async () => nothingEarlier,
      signal: new AbortController().signal,
    });
  }

  /** Starts as the real process does: what it finds missing it looks for again. */
  async start(): Promise<void> {
    const { world } = this;
    await this.heartbeat.renew();
    void this.heartbeat.run(() => this.tools.look());
    await this.tools.refresh().catch(() => undefined);
    if (!world.hasMutation('never-sweeps')) await this.registry.sweep().catch(() => undefined);
    this.isReady = true;
    void this.sweepForEver();
    if (world.scenario.delegates) void this.watchForEver();
  }

  /** Stops as the real process does: it lets its runs go on for a while, and then says that it leaves. */
  async leave(): Promise<void> {
    this.world.befallen.add(this.process.name);
    this.world.count('clean stops');
    this.isReady = false;
    await this.registry.stop(this.world.random.between(0, 2_000));
    await this.heartbeat.leave();
    this.world.crash(this.process);
  }

  /** Its heartbeats get lost for a while. */
  cutHeartbeat(ms: number): void {
    this.cutUntil = this.world.scheduler.now + ms;
    this.world.befallen.add(this.process.name);
  }

  async createConversation(id: string, message: string, key: string, token: boolean) {
    const request = create(orchestratorWire.CreateConversationRequestSchema, {
      conversationId: id,
      message,
      ...withKey(key, message),
    });
    return (await this.service.createConversation(request, contextOf(token))).turn;
  }

  async sendMessage(conversationId: string, message: string, key: string, token: boolean, waitMs: number) {
    const request = create(orchestratorWire.SendMessageRequestSchema, {
      conversationId,
      message,
      wait: create(orchestratorWire.WaitSchema, { milliseconds: waitMs }),
      ...withKey(key, message),
    });
    return (await this.service.sendMessage(request, contextOf(token))).turn;
  }

  async cancelRun(conversationId: string, key: string) {
    const request = create(orchestratorWire.CancelRunRequestSchema, {
      conversationId,
      reason: 'enough',
      ...withKey(key, 'cancel'),
    });
    return (await this.service.cancelRun(request, contextOf(false))).turn;
  }

  async cancelStep(conversationId: string, stepId: string, key: string) {
    const request = create(orchestratorWire.CancelStepRequestSchema, {
      ...{ conversationId, stepId, reason: 'enough' },
      ...withKey(key, `cancel ${stepId}`),
    });
    return (await this.service.cancelStep(request, contextOf(false))).turn;
  }

  async pauseRun(conversationId: string, key: string) {
    const request = create(orchestratorWire.PauseRunRequestSchema, { conversationId, ...withKey(key, 'pause') });
    return (await this.service.pauseRun(request, contextOf(false))).turn;
  }

  async unpauseRun(conversationId: string, key: string) {
    const request = create(orchestratorWire.UnpauseRunRequestSchema, { conversationId, ...withKey(key, 'resume') });
    return (await this.service.unpauseRun(request, contextOf(false))).turn;
  }

  async provideInput(
    conversationId: string,
    inputId: string,
    { action, contentJson }: Said,
    person: string,
    key: string,
    token: boolean,
  ) {
    const request = create(orchestratorWire.ProvideInputRequestSchema, {
      ...{ conversationId, inputId, action, contentJson },
      caller: { actor: { kind: envelope.ActorKind.USER, id: person } },
      ...withKey(key, `${action} ${contentJson}`),
    });
    return (await this.service.provideInput(request, contextOf(token))).turn;
  }

  async resumeRun(conversationId: string, minRevision: number, token: boolean) {
    const request = create(orchestratorWire.ResumeRunRequestSchema, { conversationId, minRevision });
    return (await this.service.resumeRun(request, contextOf(token))).turn;
  }

  /** What the approvals service does with a decision; `append` tells where it stands in the log. */
  async decide(conversationId: string, approvalId: string, person: string, decision: HumanDecision, key: string) {
    const { argumentsJson } = decision;
    const requestDigest = `${choiceWords[decision.kind]} ${argumentsJson ?? ''}`;
    const idempotency = key === '' ? undefined : { key, requestDigest };
    const load = () => this.ports.log.load(conversationId, idempotency === undefined ? [] : [clientKey(idempotency)]);
    let loaded = await load();
    if (approvalIn(loaded.state.run, approvalId)?.of === 'question' && this.world.random.chance(0.7)) {
      await this.watch.look(conversationId).catch(() => undefined);
      loaded = await load();
    }
    const definitions = argumentsJson === undefined ? undefined : await this.definitionsOf(loaded.state.run);
    const takesTwo = this.world.hasMutation('takes-two-decisions');
    return transact(this.ports, loaded, {
      actor: { kind: 'approver', id: person },
      ...(idempotency === undefined ? {} : { idempotency }),
      wantsView: true,
      decide: (state) => {
        const voter = voterOf(anonymous, { id: person, claimed: true });
        const by = { voter, now: this.ports.clock.now() };
        const command = { approvalId, decision, ...by, ...(idempotency === undefined ? {} : { idempotency }) };
        if (argumentsJson !== undefined && definitions !== undefined)
          return editCall(state, { ...command, argumentsJson }, definitions);
        const decided = resolveApproval(state, command);
        if (!takesTwo || decided.kind !== 'settled') return decided;
        const resolved = { approvalId, runId: state.run?.id ?? '', decision: wire.Decision.APPROVED };
        return { kind: 'append', facts: [fact('approvalResolved', resolved)] } as const;
      },
      factsOf: (one) => (one.kind === 'append' ? one.facts : undefined),
    });
  }

  /** What a change of a call is judged by: that of the run, as it is recorded. */
  private async definitionsOf(run: RunState | null): Promise<Definitions | undefined> {
    if (run?.status !== 'open') return undefined;
    const { agentDigest, toolsetDigest, policyDigest } = run;
    const [agent, tools, policy] = await Promise.all([
      this.definitions.agent(agentDigest),
      this.definitions.toolset(toolsetDigest),
      policyDigest === undefined ? undefined : this.definitions.policy(policyDigest),
    ]);
    const rules = policy && (this.world.hasMutation('edits-are-judged-by-no-rule') ? noRules : policy);
    return definedAs(run, { agent, tools, ...(rules && { policy: rules }) });
  }

  private async watchForEver(): Promise<void> {
    for (;;) {
      await this.ports.clock.sleep(watchTimes.firstMs);
      await this.watch.round().catch(() => undefined);
    }
  }

  private async sweepForEver(): Promise<void> {
    for (;;) {
      await this.ports.clock.sleep(this.world.scenario.ttlMs / 2);
      await this.tools.refresh().catch(() => undefined);
      if (!this.world.hasMutation('never-sweeps')) await this.registry.sweep().catch(() => undefined);
    }
  }

  private liveness(): Liveness {
    const { heartbeat, world } = this;
    return {
      ttlMs: heartbeat.ttlMs,
      alive: (role) => heartbeat.alive(role),
      died: (instance, signal) => heartbeat.died(instance, signal),
      isDead: (instance) => {
        if (world.hasMutation('everybody-else-is-dead')) return instance !== this.process.name;
        return heartbeat.isDead(instance);
      },
      isFresh: () => heartbeat.isFresh(),
      renewed: (signal) => {
        world.count('calls held back until a renewal');
        return heartbeat.renewed(signal);
      },
    };
  }
}

function withKey(key: string, requestDigest: string) {
  return key === '' ? {} : { idempotency: create(wire.IdempotencySchema, { key, requestDigest }) };
}

function contextOf(token: boolean): CallContext {
  const signal = new AbortController().signal;
  const bearer = token ? { bearerToken: new Secret('a token') } : {};
  return { ...bearer, sessionId: 'session', principal: anonymous, signal, peerInternal: true };
}
