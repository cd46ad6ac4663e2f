import type { Bundle } from '../promises/bundle.ts';
import { callsOf } from '../promises/recorded-calls.ts';
import { Random } from '../simulation/world/random.ts';
import { check } from './checker.ts';
import { Cluster, toolTimeoutMsDefault } from './cluster.ts';
import { type Demands, demandsIn, lostVotes, noticesOf, wrongNotices } from './demands.ts';
import { Desk } from './desk.ts';
import { type Carried, Faults } from './faults.ts';
import { type Notes, Person } from './person.ts';
import type { ProgramName } from './programs.ts';
import { type Recovery, recoveryOf } from './recovery.ts';
import { readReplicas } from './replicas.ts';
import { type Part, parts, scheduleOf } from './schedule.ts';
import type { ServiceReplicas } from './services.ts';
import { storyFor } from './stories.ts';
import { type Trees, treesIn } from './trees.ts';
import { writeEvidence } from './write-evidence.ts';

export type ChaosOptions = {
  readonly bundle: Bundle<ProgramName>;
  /** Absent: one store with the embedded log. */
  readonly natsServer?: string;
  readonly seed: number;
  readonly faults: number;
  /** Faults that are cuts of NATS, and how long each lasts, in milliseconds. */
  readonly cuts: number;
  readonly cutMs: number;
  /** Conversations that are begun at least. */
  readonly conversations: number;
  /** What is struck; everything if absent. */
  readonly parts?: readonly Part[];
  readonly say: (line: string) => void;
  /** False: the files are removed also if something is wrong. */
  readonly keepEvidence?: boolean;
  /** True: the files stay also if nothing is wrong. */
  readonly alwaysKeep?: boolean;
  /** How many there are of each service. */
  readonly replicas?: number;
};

export type ChaosFindings = Recovery & {
  readonly violations: readonly string[];
  readonly carried: readonly Carried[];
  readonly conversations: number;
  /** Runs of trees, those of them in which several approvals were asked for, and those that a rejection ended. */
  readonly trees: Trees;
  readonly calls: number;
  readonly inDoubt: number;
  readonly notNow: number;
  /** Events that a webhook was told of. */
  readonly notices: number;
  readonly demands: Demands;
};

/** Time to live of a heartbeat, in milliseconds. */
const ttlMs = 2_000;
/** Of each service, unless it is said. */
const replicasDefault = 2;
const toolServers = 2;
/** People who talk at the same time. */
const peopleMax = 10;
/** How long conversations have to come to rest after the last fault, in milliseconds. */
const restMs = 90_000;

/** People talk to the platform while it is struck; afterwards everything is left to come to rest, and is checked. */
export async function chaos(options: ChaosOptions): Promise<ChaosFindings> {
  const { bundle, natsServer, seed, say } = options;
  const hasNats = natsServer !== undefined;
  const each = options.replicas ?? replicasDefault;
  // The embedded log has one store.
  const store = hasNats ? each : 1;
  const replicas: ServiceReplicas = {
    ...{ store, 'mcp-bridge': each, orchestrator: each, approvals: each, gateway: each },
  };
  const there: Readonly<Record<Part, number>> = { ...replicas, tools: toolServers, nats: hasNats ? 1 : 0 };
  const struck = Object.fromEntries(
    parts.map((part) => [part, (options.parts ?? parts).includes(part) ? there[part] : 0]),
  ) as Record<Part, number>;
  const schedule = scheduleOf({ ...options, cuts: hasNats ? options.cuts : 0, ttlMs, replicas: struck });
  const desk = new Desk();
  const url = await desk.open();
  const cluster = await Cluster.start({
    bundle,
    desk: { name: desk.name, url },
    ...(hasNats ? { natsServer } : {}),
    replicas,
    ttlMs,
    hasTree: true,
  });
  try {
    const notes: Notes = { acknowledged: [], votes: [], violations: [], notNow: 0 };
    const faults = new Faults(cluster);
    let begun = 0;
    let ended = 0;
    let isOver = false;
    const talk = async (): Promise<void> => {
      while (!isOver || begun < options.conversations) {
        begun += 1;
        await tell(cluster, seed, begun, notes);
        ended += 1;
      }
    };
    const talking = Promise.all(Array.from({ length: peopleMax }, talk));
    await faults.carryOut(
      schedule,
      () => ended / options.conversations,
      (line) => say(`  ${line}, ${ended} conversations ended`),
    );
    isOver = true;
    if (!(await within(restMs, talking)))
      notes.violations.push(`not all conversations came to rest within ${restMs} ms after the last fault`);
    const log = await readReplicas(cluster.stores, cluster.token);
    const expected = noticesOf(desk.name, log.conversations);
    await desk.hasTaken(expected, restMs);
    const toolRuns = cluster.toolRuns();
    const { carried } = faults;
    const { acknowledged } = notes;
    const violations = [
      ...notes.violations,
      ...faults.violations,
      ...cluster.crashes,
      ...check({ ...log, toolRuns, acknowledged, carried, toolLimitMs: toolTimeoutMsDefault }),
      ...lostVotes(notes.votes, log.conversations),
      ...wrongNotices(expected, desk.taken),
    ];
    await cluster.end();
    const isKept = options.alwaysKeep === true || (violations.length > 0 && options.keepEvidence !== false);
    if (!isKept) cluster.remove();
    else {
      writeEvidence(cluster.folder, log.conversations, violations, carried);
      const where = `what is left of it is in ${cluster.folder}`;
      if (violations.length > 0) violations.push(where);
      else say(where);
    }
    return {
      ...recoveryOf(log.conversations, carried),
      violations,
      carried,
      conversations: log.conversations.length,
      calls: toolRuns.length,
      trees: treesIn(log.conversations),
      inDoubt: log.conversations.flatMap(callsOf).reduce((sum, call) => sum + call.doubts.length, 0),
      notNow: notes.notNow,
      notices: expected.length,
      demands: demandsIn(log.conversations),
    };
  } finally {
    await cluster.end();
    desk.close();
  }
}

/** False if something has not come about by then. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** What a person says and decides depends on the seed and the number alone. */
async function tell(cluster: Cluster, seed: number, number: number, notes: Notes): Promise<void> {
  const random = new Random(seed * 1_000_003 + number);
  const story = storyFor(random);
  const person = new Person(`${story.name}-${number}`, random, cluster.gateways, notes);
  try {
    await story.tell(person);
  } catch (error) {
    person.wrong(error instanceof Error ? error.message : String(error));
  }
}
