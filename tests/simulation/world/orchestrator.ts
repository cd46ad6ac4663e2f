import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import {
  type AgentDefinition,
  DomainError,
  fact,
  type HumanDecision,
  type OfferedTool,
  resolveApproval,
} from '@stopgo/core';
import { clientKey, Heartbeat, type Liveness, transact } from '@stopgo/log';
import {
  type Catalogue,
  type DriverPorts,
  orchestratorService,
  RecordedDefinitions,
  Registry,
  type ToolPort,
} from '@stopgo/orchestrator';
import { orchestrator as orchestratorWire, facts as wire } from '@stopgo/proto';
import { ANONYMOUS, type CallContext, Secret } from '@stopgo/rpc';
import type { Bridge } from './bridge.ts';
import { checkLive, checkModelRequest, checkSent } from './checks-now.ts';
import { beatPort, crashes, logPort } from './log-port.ts';
import { modelPort } from './model.ts';
import { mutatedLog } from './mutated-log.ts';
import type { Fate } from './network.ts';
import { VirtualProcess } from './scheduler.ts';
import type { World } from './world.ts';

/** Longest wait for the outcome of a call that got lost on its way, in milliseconds. */
const executeTimeoutMs = 20_000;

/** What a process sees of the others. */
export type Neighbours = {
  /** A bridge instance that answers to the platform's address of the bridge. */
  anyBridge(): Bridge | undefined;
  /** An instance, dead or alive. */
  bridge(instance: string): Bridge | undefined;
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
  private readonly neighbours: Neighbours;
  private readonly service: ReturnType<typeof orchestratorService>;
  private readonly ports: DriverPorts;
  private readonly heartbeat: Heartbeat;
  private readonly definitions: RecordedDefinitions;
  private readonly agent: AgentDefinition;
  private catalogue: Catalogue | undefined;
  private cutUntil = 0;

  constructor(world: World, name: string, agent: AgentDefinition, neighbours: Neighbours) {
    this.world = world;
    this.neighbours = neighbours;
    this.agent = agent;
    this.process = new VirtualProcess(name, 'orchestrator', world.random.whole(-5_000, 5_000));
    const { network } = world;
    const clock = network.clockOf(this.process);
    const log = mutatedLog(world, logPort(world, this.process));
    const beat = beatPort(world, this.process, () => world.scheduler.now < this.cutUntil);
    this.heartbeat = new Heartbeat(beat, clock, world.scenario.ttlMs);
    const isUnruly = world.hasMutation('draws-from-the-machine');
    const newId = (): string => (isUnruly ? randomUUID() : world.ids.uuid());
    const random = (): number => world.random.next();
    this.definitions = new RecordedDefinitions({ instance: name, log, clock, newId, random });
    let asking: Parameters<DriverPorts['deltas']['publish']>[0] | undefined;
    const model = modelPort(world, this.process, (request) => {
      if (asking !== undefined) checkModelRequest(world, name, asking, request);
    });
    this.ports = {
      instance: name,
      log,
      tools: this.toolPort(),
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
      onFault: (error, where) => {
        if (!this.process.isAlive) return;
        world.count('faults reported');
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        world.faultsSeen.push(`${where}: ${text}`);
        world.trace(() => `${name} reports a fault: ${where}: ${text}`);
      },
    };
    this.registry = new WatchedRegistry(world, this.ports, this.definitions, 1_000);
    this.service = orchestratorService({
      registry: this.registry,
      definitions: this.definitions,
      agent,
      systemPrompt: '',
      signal: new AbortController().signal,
    });
  }

  /** Starts as the real process does; it dies if that fails. */
  async start(): Promise<void> {
    const { world } = this;
    try {
      await this.refresh();
      await this.heartbeat.renew();
      await this.definitions.record(this.agent, this.ports.tools.catalogue(), new AbortController().signal);
      if (!world.hasMutation('never-sweeps')) await this.registry.sweep();
    } catch (error) {
      world.trace(() => `${this.process.name} did not start: ${String(error)}`);
      return world.crash(this.process);
    }
    this.isReady = true;
    void this.heartbeat.run(() => undefined);
    if (!world.hasMutation('never-sweeps')) void this.sweepForEver();
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

  async resumeRun(conversationId: string, minRevision: number, token: boolean) {
    const request = create(orchestratorWire.ResumeRunRequestSchema, { conversationId, minRevision });
    return (await this.service.resumeRun(request, contextOf(token))).turn;
  }

  /** What the approvals service does with a decision; `append` tells where it stands in the log. */
  async decide(conversationId: string, approvalId: string, person: string, decision: HumanDecision, key: string) {
    const idempotency = key === '' ? undefined : { key, requestDigest: decision.kind };
    const loaded = await this.ports.log.load(conversationId, idempotency === undefined ? [] : [clientKey(idempotency)]);
    const takesTwo = this.world.hasMutation('takes-two-decisions');
    return transact(this.ports, loaded, {
      actor: { kind: 'approver', id: person },
      ...(idempotency === undefined ? {} : { idempotency }),
      wantsView: true,
      decide: (state) => {
        const command = { approvalId, decision, ...(idempotency === undefined ? {} : { idempotency }) };
        const decided = resolveApproval(state, command);
        if (!takesTwo || decided.kind !== 'settled') return decided;
        const resolved = { approvalId, runId: state.run?.id ?? '', decision: wire.Decision.APPROVED };
        return { kind: 'append', facts: [fact('approvalResolved', resolved)] } as const;
      },
      factsOf: (one) => (one.kind === 'append' ? one.facts : undefined),
    });
  }

  private async refresh(): Promise<void> {
    const bridge = this.neighbours.anyBridge();
    if (bridge === undefined) throw new DomainError('unavailable', 'no bridge answers');
    this.catalogue = await this.world.network.call(this.process, bridge.process, 'list tools', () => {
      const tools = this.offered(this.world.tools.catalogue());
      // The same object as long as nothing changed, as the real client keeps it.
      const known = this.catalogue?.tools;
      const isSame = known !== undefined && [...tools].every(([name, tool]) => known.get(name)?.pin === tool.pin);
      return {
        tools: isSame ? known : tools,
        definitions: this.world.tools.definitionsByPin(),
        bridge: bridge.process.name,
      };
    });
  }

  private offered(tools: ReadonlyMap<string, OfferedTool>): ReadonlyMap<string, OfferedTool> {
    if (!this.world.hasMutation('harm-is-hidden-from-policy')) return tools;
    return new Map([...tools].map(([name, tool]) => [name, { ...tool, hints: { ...tool.hints, destructive: false } }]));
  }

  private async sweepForEver(): Promise<void> {
    for (;;) {
      await this.ports.clock.sleep(this.world.scenario.ttlMs / 2);
      await Promise.all([this.refresh(), this.registry.sweep()]).catch(() => undefined);
    }
  }

  private liveness(): Liveness {
    const { heartbeat, world } = this;
    return {
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

  private toolPort(): ToolPort {
    const { world, process } = this;
    const { network, faults, random } = world;
    const toBridge = <T>(
      instance: string,
      what: string,
      serve: (bridge: Bridge) => T | Promise<T>,
      fate: Fate = 'arrives',
    ) => {
      const bridge = this.neighbours.bridge(instance);
      if (bridge === undefined) return Promise.reject(new DomainError('unavailable', `no bridge ${instance}`));
      return network.call(process, bridge.process, what, () => serve(bridge), { fate });
    };
    return {
      catalogue: () => {
        if (this.catalogue === undefined) throw new DomainError('unavailable', 'no catalogue yet');
        return this.catalogue;
      },
      execute: (request) => {
        checkSent(world, process.name, request);
        const bridge = this.neighbours.bridge(request.bridge);
        if (bridge === undefined) return Promise.reject(new DomainError('unavailable', 'no such bridge'));
        if (faults.hit('freezeBeforeCall')) world.freeze(process, random.between(0.1, 3) * world.scenario.ttlMs);
        return network.call(process, bridge.process, 'execute', () => bridge.execute(request), {
          fate: callFate(world),
          timeoutMs: executeTimeoutMs,
          onLeave: () => {
            if (crashes(world, process, 'crashBeforeCall')) return true;
            if (faults.hit('crashInCall'))
              world.scheduler.after(network.delay(10), process, () => world.crash(process));
            return false;
          },
          onServed: () => {
            crashes(world, process, 'crashAfterCall');
          },
        });
      },
      fence: (key, bridge) =>
        toBridge(
          bridge,
          'fence',
          (one) => one.fence(key, bridge),
          faults.hit('fenceAnswerLost') ? 'answer lost' : 'arrives',
        ),
      cancel: (key, bridge) => toBridge(bridge, 'cancel', (one) => one.cancel(key)),
    };
  }
}

function callFate({ faults }: World): Fate {
  if (faults.hit('callNeverArrives')) return 'lost';
  if (faults.hit('callAnswerLost')) return 'answer lost';
  return faults.hit('callTwice') ? 'twice' : 'arrives';
}

function withKey(key: string, requestDigest: string) {
  return key === '' ? {} : { idempotency: create(wire.IdempotencySchema, { key, requestDigest }) };
}

function contextOf(token: boolean): CallContext {
  const signal = new AbortController().signal;
  const bearer = token ? { bearerToken: new Secret('a token') } : {};
  return { ...bearer, sessionId: 'session', principal: ANONYMOUS, signal, peerInternal: true };
}
