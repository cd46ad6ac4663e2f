// `npm run bench [-- --quick] [--only turns|trees|reads|long|floor] [--concurrent N] [--profile DIR]`
import { parseArgs } from 'node:util';
import { type Floor, measureFloor } from './floor.ts';
import { describeMachine } from './machine.ts';
import { measureLong } from './measure-long.ts';
import { measureReads } from './measure-reads.ts';
import { measureTree, type TreeFigures } from './measure-trees.ts';
import { measureTurns, type ProcessFigures, type TurnFigures } from './measure-turns.ts';
import { type Model, type Platform, startModel, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-usage.ts';
import { medians } from './quantiles.ts';
import { markdown, type Results } from './report.ts';
import { limitRun, onlyPart, resultsFolder, say, writeResults } from './run.ts';
import { full, quick, type Sizes } from './sizes.ts';
import { treeShapes } from './tree-shapes.ts';

/** Everything together must be done by then, in milliseconds. */
const wholeRunMs = 15 * 60_000;
const parts = ['floor', 'turns', 'trees', 'reads', 'long'] as const;
type Part = (typeof parts)[number];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    concurrent: { type: 'string' },
    profile: { type: 'string' },
  },
});
const only = onlyPart(parts, values.only);
const wanted = (part: Part): boolean => only === undefined || only === part || (only === 'turns' && part === 'floor');
const nodeOptions = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];

limitRun(wholeRunMs);

const sizes = values.quick ? quick : full;
const concurrent = values.concurrent === undefined ? undefined : Number(values.concurrent);
const turns = sizes.turns.filter((one) => concurrent === undefined || one.concurrent === concurrent);
const results = await run({ ...sizes, turns });
const page = markdown(results);
process.stdout.write(`\n${page}`);
if (!values.quick && only === undefined && concurrent === undefined)
  writeResults(resultsFolder, results.date, page, results);

async function run(sizes: Sizes): Promise<Results> {
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    passes: sizes.passes,
  };
  const model = await startModel();
  try {
    await measurePasses(results, model, sizes);
    if (wanted('trees')) results.trees = await measureTrees(model, sizes);
    if (wanted('reads')) {
      say(`storing and reading ${sizes.stored} conversations`);
      results.stored = await onPlatform(model, (platform) => measureReads(platform, sizes));
    }
    if (wanted('long')) {
      say(`one conversation of ${sizes.longTurns} turns`);
      results.long = await onPlatform(model, (platform) => measureLong(platform, model, sizes));
    }
  } finally {
    await model.stop();
  }
  return results;
}

/** Floor and turns take turns, so that a load that comes and goes meets both. */
async function measurePasses(results: Results, model: Model, sizes: Sizes): Promise<void> {
  const floors: Floor[] = [];
  const turns: (readonly TurnFigures[])[] = [];
  const processes: ProcessFigures[] = [];
  for (let pass = 1; pass <= sizes.passes; pass += 1) {
    if (wanted('floor')) {
      say(`pass ${pass} of ${sizes.passes}: the floor`);
      floors.push(await measureFloor(sizes));
    }
    if (!wanted('turns')) continue;
    say(`pass ${pass} of ${sizes.passes}: turns`);
    const measured = await onPlatform(model, (platform) => measureTurns(platform, sizes));
    turns.push(measured.turns);
    processes.push(measured.process);
  }
  if (floors.length > 0) results.floor = medians(floors);
  if (turns.length === 0) return;
  results.turns = sizes.turns.map((_, index) => medians(turns.flatMap((pass) => pass[index] ?? [])));
  results.process = medians(processes);
}

/** Each tree on a platform of its own. */
async function measureTrees(model: Model, sizes: Sizes): Promise<readonly TreeFigures[]> {
  const figures: TreeFigures[] = [];
  for (const shape of treeShapes) {
    say(shape.name);
    const measure = ({ address, pid }: Platform) => measureTree(address, shape, sizes.trees, () => cpuSeconds(pid));
    figures.push(await onPlatform(model, measure, { agent: shape.agent }));
  }
  return figures;
}

async function onPlatform<T>(model: Model, measure: (platform: Platform) => Promise<T>, more: object = {}): Promise<T> {
  const platform = await startPlatform(model.address, nodeOptions, undefined, more);
  try {
    return await measure(platform);
  } finally {
    await platform.remove();
  }
}
