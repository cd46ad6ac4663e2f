// `npm run bench:services`: measures the services as processes of their own.
// The results are written after each step, so that a run that is interrupted keeps what it has measured; a quick or partial
// run writes them only where `--results` says.
import { flagsOf } from '../../../scripts/flags.mjs';
import { describeMachine } from '../machine.ts';
import { startModel } from '../platform.ts';
import { countOf, limitRun, onlyPart, refuse, resultsFolder, say, writeResults } from '../run.ts';
import { treeShapes } from '../tree-shapes.ts';
import { countCalls } from './count-calls.ts';
import { measureRound } from './measure.ts';
import { measureStored } from './measure-stored.ts';
import { measureTakeover } from './measure-takeover.ts';
import { measureTreesOfServices } from './measure-trees.ts';
import { runSteps, type Step } from './progress.ts';
import { markdown, type Results } from './report.ts';
import { full, quick } from './sizes.ts';

/** Everything together must be done by then, in milliseconds. */
const wholeRunMs = 45 * 60_000;
const parts = ['turns', 'trees', 'calls', 'takeover', 'stored'] as const;
type Part = (typeof parts)[number];

const usage = `usage: npm run bench:services -- [--quick] [--only ${parts.join('|')}] [--stored N --waiting N] [--results DIR]`;
const values = flagsOf(usage, {
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  stored: { type: 'string' },
  waiting: { type: 'string' },
  results: { type: 'string' },
});
const only = onlyPart(parts, values.only);
const sizes = values.quick ? quick : full;
const stored = countOf('stored', values.stored) ?? sizes.storedSizes.stored;
const waiting = countOf('waiting', values.waiting) ?? Math.max(2, Math.floor(stored / 10));
if (stored < waiting + 1 || waiting < 2)
  refuse(`--waiting takes 2 to one less than --stored (${stored}), not ${waiting}`);
limitRun(wholeRunMs);

const results: Results = {
  date: new Date().toISOString().slice(0, 10),
  machine: describeMachine(),
  rounds: [],
  missing: [],
};
const model = await startModel();
const steps = plan().filter(({ part }) => only === undefined || only === part);
const folder = values.results ?? (values.quick || only !== undefined ? undefined : resultsFolder);
const failed = await runSteps(steps, say, save).finally(() => model.stop());
process.stdout.write(`\n${markdown(results)}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function save(): void {
  if (folder !== undefined) writeResults(folder, `${results.date}-services`, markdown(results), results);
}

function plan(): (Step & { readonly part: Part })[] {
  const step = (part: Part, name: string, seconds: number, measure: () => Promise<void>) => {
    results.missing.push(name);
    const run = async (): Promise<void> => {
      await measure();
      results.missing.splice(results.missing.indexOf(name), 1);
    };
    return { part, name, seconds, run };
  };
  const { shapes, turns, warmUpTurns, takeover, trees, storedSizes } = sizes;
  const turnsSeconds = turns.reduce((sum, one) => sum + one.turns / (one.concurrent === 1 ? 9 : 27), 0);
  return [
    ...shapes.map((shape, index) =>
      step(
        'turns',
        `round ${index + 1}: floor, one process, ${shape.orchestrators} orchestrators with ${shape.stores} stores`,
        25 + warmUpTurns / 40 + turnsSeconds,
        async () => void results.rounds.push(await measureRound(model, shape, sizes)),
      ),
    ),
    step('trees', `turns of ${treeShapes.length} trees`, treeShapes.length * (10 + trees.turns / 5), async () => {
      results.trees = await measureTreesOfServices(model, { orchestrators: 2, stores: 1 }, trees, say);
    }),
    step('calls', 'the internal calls of a turn', 20, async () => {
      results.calls = await countCalls(model, { orchestrators: 2, stores: 2 }, sizes.countedTurns);
    }),
    step('takeover', `${takeover.kills} kills of a driver`, 10 + 18 * takeover.kills, async () => {
      results.takeover = await measureTakeover(model, takeover);
    }),
    step('stored', `${stored} conversations stored, ${waiting} waiting`, 60 + stored / 250, async () => {
      results.stored = await measureStored(model, { ...storedSizes, stored, waiting }, say);
    }),
  ];
}
