import { createHash } from 'node:crypto';
import { conversationOfStream, initialState, nextDue, parkedTasks, runStanding } from '@stopgo/core';
import { Bridge } from './bridge.ts';
import { checkShown } from './checks-asked.ts';
import { checkEnd } from './checks-end.ts';
import { checkVisible } from './checks-tree.ts';
import { epochMs } from './network.ts';
import { OrchestratorProcess } from './orchestrator.ts';
import { People } from './people.ts';
import { type Family, type Mutation, planScenario, type Scenario } from './scenario.ts';
import type { VirtualProcess } from './scheduler.ts';
import { toolNames } from './tools.ts';
import { World } from './world.ts';

/** Virtual time after the last fault within which everything must come to rest, in milliseconds. */
const restMs = 300_000;
/** The same where tasks of other agents are ended there by whoever is left, in the end. */
const watchedRestMs = 600_000;
/** Virtual time that the world goes on after everybody is done, so that what is late can come, in milliseconds. */
const lingerMs = 2_000;
/** The world goes on for what is due within so much time, in milliseconds. */
const awaitedMs = 3_600_000;
/** The same where tasks of other agents are watched. */
const watchedLingerMs = 45_000;

/** What a world came to. */
export type Outcome = {
  readonly scenario: Scenario;
  /** Empty if every rule held. */
  readonly violations: readonly string[];
  /** Hex SHA-256 over all stored bytes, in order of streams. */
  readonly digest: string;
  readonly steps: number;
  readonly events: number;
  readonly virtualMs: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly faultsReported: readonly string[];
  /** Filled if it was asked for. */
  readonly trace: string;
};

/** Runs the world of a seed to its end and checks everything. The same seed gives the same outcome. */
export async function simulate(
  seed: number,
  options: { readonly mutation?: Mutation; readonly isTraced?: boolean } & Family = {},
): Promise<Outcome> {
  const scenario = planScenario(seed, options.mutation, options);
  const world = new World(scenario, options.isTraced === true);
  const city = new City(world);
  world.store.onAppend((stream) => {
    if (conversationOfStream(stream.name) === undefined) return;
    checkVisible(world, stream);
    checkShown(world, stream);
  });
  const people = new People(world, () => city.ready());
  city.begin();
  const limit = scenario.faults.untilMs + (scenario.delegates ? watchedRestMs : restMs);
  let doneAt = Number.POSITIVE_INFINITY;
  const { scheduler } = world;
  const linger = scenario.delegates ? watchedLingerMs : lingerMs;
  await scheduler.run(() => {
    if (!people.areDone() || city.isWorking()) doneAt = Number.POSITIVE_INFINITY;
    else if (doneAt === Number.POSITIVE_INFINITY) doneAt = scheduler.now;
    return world.violations.length > 0 || scheduler.now > doneAt + linger || scheduler.now > limit;
  });
  if (world.violations.length === 0 && doneAt === Number.POSITIVE_INFINITY)
    world.violation('e', `after ${Math.round(limit)} ms not everybody has an answer: ${city.describe()}`);
  if (world.violations.length === 0) checkEnd(world, people);
  const all = createHash('sha256');
  let events = 0;
  for (const name of [...world.store.streams.keys()].sort()) {
    const stream = world.store.stream(name);
    events += stream?.bytes.length ?? 0;
    for (const bytes of stream?.bytes ?? []) all.update(bytes);
  }
  const counts = { ...world.counts };
  for (const [name, count] of Object.entries(world.faults.counts)) counts[`fault ${name}`] = count;
  return {
    scenario,
    violations: world.violations,
    digest: all.digest('hex'),
    steps: scheduler.steps,
    events,
    virtualMs: scheduler.now,
    counts,
    faultsReported: world.faultsSeen,
    trace: world.traceText(),
  };
}

/** The processes of a world: who is up, who comes back, and what befalls them. */
class City {
  private readonly world: World;
  private readonly orchestrators: OrchestratorProcess[] = [];
  private readonly bridges: Bridge[] = [];
  private generation = 0;

  constructor(world: World) {
    this.world = world;
    world.store.onAppend((stream, made) => {
      if (!made.append.facts.some((fact) => fact.case === 'runClaimed')) return;
      const id = conversationOfStream(stream.name) ?? '';
      const others = this.ready().filter((one) => one.process.name !== made.instance);
      if (others.some((one) => one.registry.driver(id) !== undefined)) world.count('two live drivers');
    });
  }

  /** Starts what there is, and the chaos. */
  begin(): void {
    const { scenario } = this.world;
    for (let slot = 0; slot < scenario.bridges; slot += 1) this.startBridge(slot);
    for (let slot = 0; slot < scenario.orchestrators; slot += 1) this.startOrchestrator(slot);
    this.scheduleChaos();
    this.watch();
  }

  ready(): readonly OrchestratorProcess[] {
    return this.orchestrators.filter((one) => one.isReady && one.process.isAlive);
  }

  isWorking(): boolean {
    return this.world.store.conversations().some((stream) => {
      const state = stream.states.at(-1) ?? initialState;
      const standing = runStanding(state);
      const waits = standing === 'waiting' ? state.run?.id : undefined;
      // The task of a run that has ended here is to be ended there, too, also while a later run waits.
      // What is due at a time is done by somebody, whoever waits for people.
      return (
        standing === 'working' ||
        this.isAwaited(nextDue(state.run)) ||
        parkedTasks(state).some(({ runId }) => runId !== waits)
      );
    });
  }

  /** Whether what is due then is waited for: what people have a day for is not. */
  private isAwaited(dueAt: number | undefined): boolean {
    return dueAt !== undefined && dueAt < epochMs + this.world.scheduler.now + awaitedMs;
  }

  describe(): string {
    return this.world.store
      .conversations()
      .map((stream) => {
        const run = stream.states.at(-1)?.run;
        const calls = Object.values(run?.calls ?? {}).map((call) => `${call.id} ${call.tool} ${call.phase}`);
        return `${stream.name}: ${run?.status} owner ${run?.owner?.instance ?? 'nobody'} [${calls.join(', ')}]`;
      })
      .join('; ');
  }

  private startBridge(slot: number): void {
    this.generation += 1;
    const bridge = new Bridge(this.world, `bridge-${slot}.${this.generation}`, `bridges:${slot}`);
    this.bridges[slot] = bridge;
  }

  /** It dies, and another one is at its address before anybody has noticed. */
  private restartBridge(bridge: Bridge): void {
    this.world.crash(bridge.process);
    if (!this.world.scenario.isTogether) this.startBridge(this.bridges.indexOf(bridge));
  }

  private startOrchestrator(slot: number): void {
    this.generation += 1;
    const { world } = this;
    const orchestrator = new OrchestratorProcess(
      world,
      `orchestrator-${slot}.${this.generation}`,
      world.random.pick(world.scenario.agents),
      { bridgeAt: (address) => this.bridges[Number(address.split(':')[1])] as Bridge },
    );
    this.orchestrators[slot] = orchestrator;
    void orchestrator.start();
  }

  /** Whoever died comes back after a while, as somebody new. */
  private watch(): void {
    const { world } = this;
    world.scheduler.after(world.random.between(20, 500), undefined, () => {
      const isDown = [...this.bridges, ...this.orchestrators].some((one) => !one.process.isAlive);
      if (world.scenario.isTogether && isDown) this.restartTogether();
      else {
        for (const [slot, bridge] of this.bridges.entries())
          if (!bridge.process.isAlive && this.comesBack()) this.startBridge(slot);
        for (const [slot, one] of this.orchestrators.entries())
          if (!one.process.isAlive && this.comesBack()) this.startOrchestrator(slot);
      }
      this.watch();
      return 'quiet';
    });
  }

  private restartTogether(): void {
    const { world } = this;
    for (const one of [...this.bridges, ...this.orchestrators]) world.crash(one.process);
    if (!this.comesBack()) return;
    world.store.forgetHeartbeats();
    this.startBridge(0);
    this.startOrchestrator(0);
  }

  private comesBack(): boolean {
    return this.world.random.chance(0.15);
  }

  private scheduleChaos(): void {
    const { world } = this;
    world.scheduler.after(world.random.between(100, 1_500), undefined, () => {
      if (world.faults.isOver()) return 'quiet';
      this.chaos();
      this.scheduleChaos();
      return undefined;
    });
  }

  private chaos(): void {
    const { world } = this;
    const { faults, random, scenario, scheduler } = world;
    const ttls = (least: number, most: number): number => random.between(least, most) * scenario.ttlMs;
    const orchestrators = alive(this.orchestrators);
    const bridges = alive(this.bridges);
    if (orchestrators.length > 0) {
      if (faults.hit('crashAnyTime')) world.crash(random.pick(orchestrators).process);
      if (faults.hit('leaveAnyTime') && !scenario.isTogether) void random.pick(orchestrators).leave();
      if (faults.hit('freezeAnyTime')) world.freeze(random.pick(orchestrators).process, ttls(0.1, 6));
      if (faults.hit('heartbeatLapses')) random.pick([...orchestrators, ...bridges]).cutHeartbeat(ttls(0.5, 3));
    }
    if (bridges.length > 0) {
      if (faults.hit('bridgeCrash')) world.crash(random.pick(bridges).process);
      if (faults.hit('bridgeRestart')) this.restartBridge(random.pick(bridges));
      if (faults.hit('bridgeFreeze')) world.freeze(random.pick(bridges).process, ttls(0.1, 6));
      if (faults.hit('outcomeForgotten')) random.pick(bridges).forgetOutcomes();
    }
    if (faults.hit('outage')) {
      world.outageUntil = scheduler.now + ttls(0.2, 3);
      world.trace(() => `the store is out of reach until ${world.outageUntil.toFixed(0)}`);
      if (!scenario.isTogether && random.chance(0.5)) world.store.forgetHeartbeats();
    }
    if (scenario.delegates && faults.hit('agentDown')) world.remote.goDown(random.between(300, 15_000));
    if (faults.hit('toolChanges')) world.tools.change(random.pick(toolNames));
  }
}

function alive<T extends { readonly process: VirtualProcess }>(all: readonly T[]): readonly T[] {
  return all.filter((one) => one.process.isAlive);
}
