// `npm run bench`: measures the platform in one process.
import { flagsOf } from '../../scripts/flags.mjs';
import { measureFair } from './fair/measure.ts';
import type { FairRow } from './fair/report.ts';
import { type FairRun, fairOver } from './fair/runs.ts';
import { type Floor, measureFloor } from './floor.ts';
import { type InboxFigures, inboxRules, measureInbox } from './inbox/measure.ts';
import { people } from './inbox/people.ts';
import { describeMachine, watchOthers } from './machine.ts';
import { measureLong } from './measure-long.ts';
import { measureReads } from './measure-reads.ts';
import { measureRow } from './measure-row.ts';
import { measureTree, type TreeFigures } from './measure-trees.ts';
import { measureWaiting } from './measure-waiting.ts';
import { type Model, type Platform, startModel, startPlatform } from './platform.ts';
import { cpuSeconds } from './process-usage.ts';
import { medians } from './quantiles.ts';
import { markdown, type Results } from './report.ts';
import { type RowName, rowsOf, rowTitles } from './rows.ts';
import { type RowPass, rotated, rowsOver } from './rows-over.ts';
import { countOf, limitRun, onlyPart, refuse, resultsFolder, say, writeResults } from './run.ts';
import { full, quick, type Sizes } from './sizes.ts';
import { treeShapes } from './tree-shapes.ts';

/** Everything together must be done by then, in milliseconds. */
const wholeRunMs = 45 * 60_000;
const parts = ['floor', 'turns', 'fair', 'trees', 'reads', 'inbox', 'waiting', 'long'] as const;
type Part = (typeof parts)[number];

const usage = `usage: npm run bench -- [--quick] [--only ${parts.join('|')}] [--rows bare,process]
  [--passes N] [--concurrent N] [--profile DIR]
       npm run bench -- services --help
       npm run bench -- rules --help`;
const values = flagsOf(usage, {
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
  rows: { type: 'string' },
  passes: { type: 'string' },
  concurrent: { type: 'string' },
  profile: { type: 'string' },
});
const only = onlyPart(parts, values.only);
const wanted = (part: Part): boolean => only === undefined || only === part || (only === 'turns' && part === 'floor');
const nodeOptions = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];

limitRun(wholeRunMs);

const sizes = values.quick ? quick : full;
const passes = countOf('passes', values.passes) ?? sizes.passes;
const concurrent = countOf('concurrent', values.concurrent);
const turns = sizes.turns.filter((one) => concurrent === undefined || one.concurrent === concurrent);
if (turns.length === 0) refuse(`--concurrent takes one of ${sizes.turns.map((one) => one.concurrent).join(', ')}`);
const atOnce = sizes.fair.atOnce.filter((one) => concurrent === undefined || one === concurrent);
const { rows, leftOut } = wantedRows();
for (const line of leftOut) say(line);
const results = await run({ ...sizes, passes, turns, fair: { ...sizes.fair, atOnce } });
const page = markdown(results);
process.stdout.write(`\n${page}`);
const isWhole = [only, values.rows, values.passes, concurrent].every((one) => one === undefined);
if (!values.quick && isWhole) writeResults(resultsFolder, results.date, page, results);

async function run(sizes: Sizes): Promise<Results> {
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    passes: sizes.passes,
    othersPercent: 0,
    leftOut,
  };
  const others = watchOthers();
  const model = await startModel();
  try {
    await measurePasses(results, model, sizes);
    if (wanted('fair')) results.fair = await measureFairness(model, sizes);
    if (wanted('trees')) results.trees = await measureTrees(model, sizes);
    if (wanted('reads')) {
      say(`storing and reading ${sizes.stored} conversations`);
      results.stored = await onPlatform(model, (platform) => measureReads(platform, sizes));
    }
    if (wanted('inbox')) results.inbox = await measurePeople(model, sizes);
    if (wanted('waiting')) {
      say(`${sizes.waiting} conversations that wait`);
      results.waiting = await onPlatform(model, (platform) => measureWaiting(platform, sizes));
    }
    if (wanted('long')) {
      say(`one conversation of ${sizes.longTurns} turns`);
      results.long = await onPlatform(model, (platform) => measureLong(platform, model, sizes));
    }
  } finally {
    await model.stop();
  }
  results.othersPercent = others();
  return results;
}

/** Floor and rows take turns, so that a load that comes and goes meets all of them. */
async function measurePasses(results: Results, model: Model, sizes: Sizes): Promise<void> {
  const floors: Floor[] = [];
  const measured: RowPass[][] = [];
  for (let pass = 1; pass <= sizes.passes; pass += 1) {
    if (wanted('floor')) {
      say(`pass ${pass} of ${sizes.passes}: the floor`);
      floors.push(await measureFloor(sizes));
    }
    if (!wanted('turns')) continue;
    const ofPass: RowPass[] = [];
    for (const row of rotated(rows, pass - 1)) {
      say(`pass ${pass} of ${sizes.passes}: turns, ${rowTitles[row]}`);
      ofPass.push(await measureRow(row, model.address, { nodeOptions }, sizes));
    }
    measured.push(ofPass);
  }
  if (floors.length > 0) results.floor = medians(floors);
  if (measured.length > 0) results.rows = rowsOver(measured, rows);
}

/** Rows take turns here, too. Without `--rows` it is the floor and the one process: the others take minutes more for each pass. */
async function measureFairness(model: Model, sizes: Sizes): Promise<readonly FairRow[]> {
  const some = values.rows === undefined ? (['bare', 'process'] as const) : rows;
  const passes = new Map<RowName, (readonly FairRun[])[]>(some.map((row) => [row, []]));
  for (let pass = 1; pass <= sizes.passes; pass += 1)
    for (const row of rotated(some, pass - 1)) {
      say(`pass ${pass} of ${sizes.passes}: beside slow and large ones, ${rowTitles[row]}`);
      passes.get(row)?.push(await measureFair(row, model.address, sizes.fair, pass));
    }
  return some.map((row) => ({ row, runs: fairOver(passes.get(row) ?? []) }));
}

/** On a platform where people sign in, and rules say which group decides. */
async function measurePeople(model: Model, sizes: Sizes): Promise<InboxFigures> {
  say(`${sizes.inbox} approvals, and people who look for theirs`);
  const issuer = people();
  const more = { auth: issuer.auth, approvals: inboxRules };
  return onPlatform(model, (platform) => measureInbox(platform, issuer, sizes), more).finally(issuer.remove);
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

function wantedRows() {
  try {
    return rowsOf(values.rows, process.env);
  } catch (error) {
    return refuse((error as Error).message);
  }
}
