import { describe, expect, test } from 'vitest';
import { tierOf } from '../tiers.ts';
import type { Family } from './world/scenario.ts';
import { type Outcome, simulate } from './world/simulate.ts';

/** Seeds over all parts, unless SIM_SEEDS says otherwise; with so many everything on the menu happens. */
const seedsDefault = 2_000;
/** The same among the quick tests. */
const seedsQuick = 60;
/** Seeds of one test. */
const seedsPerTest = 50;
/** Every so many seeds one is run twice, to see that it comes out the same. */
const twiceEvery = 10;
/** Lines of the trace that a failure shows. */
const traceLines = 120;
/** Longest time for one test, in milliseconds; a hundred times what it takes on an idle machine. */
const testTimeoutMs = 120_000;

/** What must have happened in every part, else the menu of faults is vacuous. */
const mustHappen = [
  'orchestrator crashes',
  'bridge crashes',
  'orchestrator freezes',
  'bridge freezes',
  'another instance asked',
  'calls not sent by a bridge that was out of touch',
  'clean stops',
  'conflict',
  'duplicate',
  'takeovers',
  'two live drivers',
  'calls in doubt',
  'late outcomes',
  'fenced attempts refused',
  'calls held back until a renewal',
  'double decisions',
  'decisions refused',
  'runs canceled',
  'tokens asked for',
  'tool servers died in a call',
  'calls that waited at a bridge',
  'approvals pending together',
  'runs ended by a rejection',
  'votes that others had to join',
  'reminders and escalations',
  'approvals that nobody decided in time',
  'calls that people changed',
  'changed calls that ran',
  'changes refused',
] as const;

/** The same where tasks of other agents ask people here. */
const taskMustHappen = [
  'questions there',
  'tokens wanted there',
  'answers taken there',
  'answers refused there',
  'answers sent again',
  'answers that were taken before',
  'questions decided there',
  'questions changed there',
  'tasks canceled there',
  'tasks canceled from here',
  'questions left open',
] as const;

/** What takes a call of a tool, of which there are few beside delegations. */
const ofTools: ReadonlySet<string> = new Set([
  'bridge freezes',
  'another instance asked',
  'calls not sent by a bridge that was out of touch',
  'fenced attempts refused',
  'tool servers died in a call',
  'calls that waited at a bridge',
]);

/** What takes rules, which no world that delegates has. */
const ofDemands: ReadonlySet<string> = new Set([
  'votes that others had to join',
  'reminders and escalations',
  'approvals that nobody decided in time',
  'calls that people changed',
  'changed calls that ran',
  'changes refused',
]);

/** The same where agents call each other. */
const callMustHappen = [
  'agents called',
  'agents called by called ones',
  'agents returned',
  'agents failed',
  'agents reminded',
  'agents out of time',
  'steps canceled',
  'runs paused',
  'runs paused at a limit',
  'agents ended at a limit',
  'runs resumed',
  'runs out of time',
  'agents refused 1',
  'agents refused 2',
  'agents refused 3',
  'agents refused 4',
  'memories saved',
  'memories loaded',
  'memories missed',
  'memories of another run loaded',
  'values shared',
  'values deleted',
  'values read',
  'values missed',
  'values of another agent read',
  'questions asked',
  'questions answered',
  'questions left out',
  'questions that nobody answered in time',
  'questions withdrawn',
  'questions that ended with their run',
  'questions open together',
  'answers not allowed',
  'answers to agents refused',
  'answers to agents repeated',
  'answers under a used key refused',
] as const;

const menuOf = ({ delegates = false, calls = false }: Family): readonly string[] =>
  calls
    ? [...mustHappen.filter((name) => !ofDemands.has(name)), ...callMustHappen]
    : delegates
      ? [...mustHappen.filter((name) => !ofTools.has(name) && !ofDemands.has(name)), ...taskMustHappen]
      : mustHappen;

/**
 * The tests of one part of the seeds. SIM_SEEDS sets how many there are in all parts together; SIM_SEED runs one seed, in
 * the first part, and prints what happened in it.
 */
export function simulationPart(part: number, parts: number, family: Family = {}): void {
  const only = process.env.SIM_SEED;
  if (only !== undefined) {
    test.runIf(part === 0)(`seed ${only}`, { timeout: testTimeoutMs }, async () => {
      const outcome = await simulate(Number(only), { isTraced: true, ...family });
      console.log(`${outcome.trace}\n${summaryOf(outcome)}`);
      expect(outcome.violations, `seed ${only}`).toEqual([]);
    });
    return;
  }
  const total = Number(process.env.SIM_SEEDS ?? (tierOf(process.env) === 'quick' ? seedsQuick : seedsDefault));
  const mine = Array.from({ length: total }, (_, index) => index + 1).filter((seed) => seed % parts === part);
  const sums: Record<string, number> = {};
  describe(`simulation, part ${part + 1} of ${parts}`, () => {
    for (let first = 0; first < mine.length; first += seedsPerTest) {
      const seeds = mine.slice(first, first + seedsPerTest);
      test(`seeds ${seeds[0]} to ${seeds.at(-1)}`, { timeout: testTimeoutMs }, async () => {
        for (const [index, seed] of seeds.entries()) {
          const outcome = await simulate(seed, family);
          if (outcome.violations.length > 0) throw new Error(await report(outcome));
          if (index % twiceEvery === 0) await expectSame(outcome);
          add(sums, outcome);
        }
      });
    }
    test('everything on the menu happened', () => {
      console.log(`${mine.length} seeds: ${listed(sums)}`);
      if (total >= seedsDefault) expect(menuOf(family).filter((name) => (sums[name] ?? 0) === 0)).toEqual([]);
    });
  });
}

/** Rule h: the same seed gives the same bytes. */
export async function expectSame(outcome: Outcome): Promise<void> {
  const again = await simulate(outcome.scenario.seed, {
    ...familyOf(outcome),
    ...(outcome.scenario.mutation === undefined ? {} : { mutation: outcome.scenario.mutation }),
  });
  const isSame = again.digest === outcome.digest && again.steps === outcome.steps;
  if (!isSame) throw new Error(`(h) seed ${outcome.scenario.seed} came out differently when it was run again`);
}

function familyOf({ scenario }: Outcome): Family {
  return { delegates: scenario.delegates, calls: scenario.calls };
}

function fileOf({ scenario }: Outcome): string {
  if (scenario.calls) return 'calls';
  return scenario.delegates ? 'tasks' : 'seeds';
}

async function report(outcome: Outcome): Promise<string> {
  const { seed } = outcome.scenario;
  const { trace } = await simulate(seed, { isTraced: true, ...familyOf(outcome) });
  const tail = trace.split('\n').slice(-traceLines).join('\n');
  return `seed ${seed}: ${outcome.violations.join('\n')}\n${tail}\n${summaryOf(outcome)}\nagain: SIM_SEED=${seed} npx vitest run tests/simulation/${fileOf(outcome)}-1.test.ts`;
}

function summaryOf({ scenario, steps, events, virtualMs, counts, faultsReported }: Outcome): string {
  const { orchestrators, bridges, isTogether, ttlMs, faults } = scenario;
  const world = `${orchestrators} orchestrators, ${bridges} bridges${isTogether ? ' in one process' : ''}, time to live ${ttlMs} ms`;
  return [
    `${world}; faults: ${faults.name}, at most ${faults.most}; ${steps} steps, ${events} events, ${Math.round(virtualMs)} virtual ms`,
    listed(counts),
    ...faultsReported,
  ].join('\n');
}

function add(sums: Record<string, number>, { counts, steps, events }: Outcome): void {
  for (const [name, count] of Object.entries({ ...counts, steps, events })) sums[name] = (sums[name] ?? 0) + count;
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
