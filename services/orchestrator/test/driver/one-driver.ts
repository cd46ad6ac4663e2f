import { type AgentDefinition, type ConversationState, definedAs, initialState, type RecordedFact } from '@stopgo/core';
import { type Clock, type ConversationLog, type Peer, Waits } from '@stopgo/log';
import { noAgents } from '../../src/agents/callable.ts';
import { AgentNews } from '../../src/driver/handle/agent-news.ts';
import type { DriverPorts } from '../../src/driver/handle/ports.ts';
import { Room } from '../../src/driver/handle/room.ts';
import { Transcripts } from '../../src/driver/handle/transcripts.ts';
import { RunDriver } from '../../src/driver/run/run-driver.ts';
import type { ExecuteOutcome, ExecuteRequest, FenceOutcome } from '../../src/tool-port.ts';

/** A clock that goes on only when it is told to. */
export class HandClock implements Clock {
  private at = 0;
  private readonly sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): number {
    return this.at;
  }

  monotonic(): number {
    return this.at;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = (): void => {
        this.sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper = { until: this.at + ms, wake };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** How many wait for time to pass. */
  get sleeping(): number {
    return this.sleepers.size;
  }

  /** Lets time pass, and whoever it wakes do what there is to do. */
  async pass(ms: number): Promise<void> {
    this.at += ms;
    for (const sleeper of [...this.sleepers]) {
      if (sleeper.until > this.at) continue;
      this.sleepers.delete(sleeper);
      sleeper.wake();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What a bridge is made to answer; what is not given never answers. */
export type ScriptedBridge = {
  readonly execute?: (request: ExecuteRequest) => Promise<ExecuteOutcome>;
  readonly fence?: () => Promise<FenceOutcome>;
  /** Ids that are known to be dead. */
  readonly dead?: ReadonlySet<string>;
  readonly alive?: readonly string[];
};

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** A driver of a run, on a clock of its own, whose bridge does as it is told; `others` stand for what else it has. */
export function driverWith(
  { execute = never, fence = never, dead = new Set(), alive = [] }: ScriptedBridge,
  others: Partial<DriverPorts> = {},
  run: ConversationState['run'] = null,
) {
  const clock = new HandClock();
  const asked: string[] = [];
  const peer = (instance: string): Peer => ({ instance, role: 'mcp-bridge', address: 'host:1', counter: 1 });
  const ports: DriverPorts = {
    instance: 'me',
    log: noLog,
    tools: {
      catalogue: () => ({ tools: new Map(), definitions: new Map() }),
      choose: () => alive[0],
      available: never,
      turn: () => ({ come: undefined, alone: undefined, leave: () => undefined }),
      execute: (sent) => {
        asked.push(`execute ${sent.bridge}`);
        return execute(sent);
      },
      fence: (_, bridge) => {
        asked.push(`fence ${bridge}`);
        return fence();
      },
      answer: never,
      cancel: () => Promise.resolve(),
    },
    agents: noAgents,
    memories: { save: never, load: never, told: never },
    definitions: { agent: never, toolset: never, policy: never },
    delegations: { delegate: never, answer: never, lookUp: never, notify: never, cancel: never },
    models: {
      forModel: () => {
        throw new Error('no model is asked here');
      },
    },
    liveness: {
      ttlMs: 900,
      isDead: (instance) => dead.has(instance),
      alive: (role) => (role === 'mcp-bridge' ? alive.map(peer) : []),
      isFresh: () => true,
      renewed: never,
      died: (instance) => (dead.has(instance) ? Promise.resolve() : never()),
    },
    clock,
    newId: () => 'id',
    random: () => 0.5,
    deltas: { publish: () => undefined, ended: () => undefined, watched: () => undefined },
    blobs: { read: () => Promise.reject(new Error('there are no blobs')) },
    blobRoom: new Room(1),
    onModelFailed: () => undefined,
    waits: new Waits(() => clock.now()),
    news: new AgentNews(() => undefined),
    onFault: (error) => {
      throw error;
    },
    ...others,
  };
  const listener = { changed: () => undefined, handedIn: () => undefined, faulted: () => undefined };
  const state = { ...initialState, id: 'c', run };
  const definitions = definedAs({ agentDigest: '', toolsetDigest: '' }, { agent, tools: new Map() });
  const start = { state, definitions, me: { instance: 'me', epoch: 1 } };
  return { clock, asked, ports, driver: new RunDriver(start, ports, new Transcripts(ports.log), listener) };
}

const agent: AgentDefinition = { name: 'agent', root: { type: 'sequential', name: 'root', children: [] } };

const noEvents = async function* (): AsyncGenerator<RecordedFact> {};

const noLog: ConversationLog = {
  append: never,
  load: never,
  read: noEvents,
  follow: noEvents,
  openRuns: () => Promise.resolve([]),
  watchedRuns: () => Promise.resolve([]),
  view: never,
};
