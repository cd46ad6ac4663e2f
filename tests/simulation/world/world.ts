import { conversationStream, DomainError } from '@stopgo/core';
import { EventStore, type Stream, short, storeMutations } from './event-store.ts';
import { Faults } from './faults.ts';
import { Network } from './network.ts';
import { Random } from './random.ts';
import { RemoteAgents } from './remote-agents.ts';
import type { Mutation, Scenario } from './scenario.ts';
import { Scheduler, type VirtualProcess } from './scheduler.ts';
import { ToolServers } from './tools.ts';

/** What is common to everything in one simulated world. */
export class World {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly network: Network;
  readonly store: EventStore;
  readonly tools: ToolServers;
  readonly remote: RemoteAgents;
  /** Ids come from here only. */
  readonly ids: Random;
  /** Virtual time until which the store cannot be reached. */
  outageUntil = 0;
  /** Processes that something befell: others may take them for dead, and cannot be sure what they did. */
  readonly befallen = new Set<string>();
  readonly violations: string[] = [];
  readonly faultsSeen: string[] = [];
  readonly counts: Record<string, number> = {};
  private readonly lines: string[] | undefined;
  private readonly waiting = new Set<() => void>();

  constructor(scenario: Scenario, isTraced: boolean) {
    this.scenario = scenario;
    this.lines = isTraced ? [] : undefined;
    this.random = new Random(scenario.seed ^ 0x51f15eed);
    this.scheduler = new Scheduler(this.random.fork());
    this.ids = this.random.fork();
    const now = (): number => this.scheduler.now;
    this.faults = new Faults(scenario.faults, this.random.fork(), now, (line) => this.trace(line));
    this.network = new Network(this.scheduler, this.faults, this.random.fork(), scenario.ttlMs);
    const { mutation } = scenario;
    this.store = new EventStore(
      now,
      storeMutations.find((one) => one === mutation),
    );
    this.tools = new ToolServers(this);
    this.remote = new RemoteAgents(this);
    this.store.onAppend((stream, made) => {
      this.trace(() => {
        const names = made.append.facts.map((fact) => fact.case).join(' ');
        return `${made.instance} appended to ${short(stream.name)} ${made.firstRevision}..${made.lastRevision}: ${names}`;
      });
      this.look();
    });
  }

  /** Whoever waits for something to become true looks again. */
  look(): void {
    for (const look of [...this.waiting]) look();
  }

  hasMutation(mutation: Mutation): boolean {
    return this.scenario.mutation === mutation;
  }

  count(name: string, by = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }

  trace(line: () => string): void {
    this.lines?.push(`${this.scheduler.now.toFixed(1).padStart(9)} ${line()}`);
  }

  /** What happened, if it was recorded. */
  traceText(): string {
    return (this.lines ?? []).join('\n');
  }

  violation(rule: string, what: string): void {
    this.trace(() => `VIOLATION (${rule}) ${what}`);
    this.violations.push(`(${rule}) ${what}`);
  }

  /** The store's answer, unless it is out of reach now. */
  reach<T>(serve: () => T): T {
    if (this.scheduler.now < this.outageUntil) throw new DomainError('unavailable', 'the store cannot be reached');
    return serve();
  }

  stream(conversationId: string): Stream | undefined {
    return this.store.stream(conversationStream(conversationId));
  }

  /** Resolves, for a process, some time after the condition became true (looked at after each append), or on an abort. */
  until(process: VirtualProcess, condition: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.waiting.delete(look);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const look = (): void => {
        if (!condition()) return;
        this.waiting.delete(look);
        this.scheduler.after(this.network.delay(), process, end);
      };
      if (signal?.aborted) return resolve();
      signal?.addEventListener('abort', end, { once: true });
      this.waiting.add(look);
      look();
    });
  }

  /** The process dies: all that it knew is gone, and whoever waits for it hears so. */
  crash(process: VirtualProcess): void {
    if (!process.isAlive) return;
    this.trace(() => `${process.name} dies`);
    this.count(`${process.kind} crashes`);
    this.befallen.add(process.name);
    process.isAlive = false;
    for (const broken of [...process.inbound]) broken();
    process.inbound.clear();
  }

  freeze(process: VirtualProcess, ms: number): void {
    this.trace(() => `${process.name} is frozen for ${Math.round(ms)} ms`);
    this.count(`${process.kind} freezes`);
    this.befallen.add(process.name);
    process.frozenUntil = Math.max(process.frozenUntil, this.scheduler.now + ms);
  }
}
