// Kills the platform at every named point of every story, in recoveries, and at random moments; lets it go on each time,
// and checks from outside what became of it. Exit code 1 if a promise was broken.
import { flagsOf, readFlags, wholeNumber } from '../../scripts/flags.mjs';
import { mutantOf, mutants as sourceMutants } from '../chaos/mutants.ts';
import { findNatsServer } from '../chaos/nats-server.ts';
import { ModelProcess } from '../promises/model-process.ts';
import { type Findings, total } from './findings.ts';
import { type MutantName, mutants } from './mutants.ts';
import { NatsServer } from './nats-log.ts';
import { approversMax, oneDecision } from './one-decision.ts';
import { bundlePrograms } from './programs.ts';
import { randomMoments } from './random-moments.ts';
import { type Story, stories, storyOf, sweptStories } from './stories.ts';
import { firstStart, type Plan, sweep } from './sweep.ts';
import type { WorldOptions } from './world.ts';

const killsDefault = 60;
/** Deaths whose recovery is swept too: the platform dies there, and again at each point of what follows. */
const recoveries: readonly { readonly story: string; readonly after: Plan }[] = [
  // The decision is on the record, and nobody has begun to act on it.
  { story: 'add-approved', after: ['append.after:3'] },
  // The call has run, and nobody has recorded what came of it.
  { story: 'add-approved', after: ['execute.after:1'] },
  // The call is on the record, and was not made.
  { story: 'not-repeatable', after: ['execute.before:1'] },
];

const begun = performance.now();
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const usage = `usage: npm run test:crash -- [--seed N] [--kills N] [--only STORY|random] [--mutant NAME] [--log embedded|nats] [--share N]
--share N, or CRASH_SHARE=N: every Nth of the points, and of the random kills; the seed says from which on
stories: ${stories.map(({ name }) => name).join(', ')}
mutants: ${[...Object.keys(mutants), ...Object.keys(sourceMutants)].join(', ')}`;
const values = flagsOf(usage, {
  seed: { type: 'string' },
  kills: { type: 'string' },
  only: { type: 'string' },
  mutant: { type: 'string' },
  log: { type: 'string', default: 'embedded' },
  share: { type: 'string' },
});
const { seed, kills, mutant, edits, only, isNats, every } = readFlags(usage, () => {
  if (values.log !== 'embedded' && values.log !== 'nats')
    throw new Error(`--log takes embedded or nats, not "${values.log}"`);
  const seam = seamMutant(values.mutant);
  return {
    seed: wholeNumber('seed', values.seed) ?? Math.floor(Math.random() * 10 ** 9),
    kills: wholeNumber('kills', values.kills) ?? killsDefault,
    mutant: seam,
    edits: values.mutant === undefined || seam !== undefined ? [] : mutantOf(values.mutant),
    only: values.only === undefined ? undefined : values.only === 'random' ? ('random' as const) : storyOf(values.only),
    isNats: values.log === 'nats',
    every: atLeastOne(wholeNumber('share', values.share ?? process.env.CRASH_SHARE) ?? 1),
  };
});

const share = { every, from: seed };
const programs = await bundlePrograms(edits);
const model = await ModelProcess.start(programs.model);
const nats = isNats ? await NatsServer.start() : undefined;
const options: WorldOptions = {
  model,
  programs,
  ...(mutant && { mutant }),
  ...(nats && { nats }),
};
const parts: Findings[] = [];
let points = 0;
let missed = 0;

async function everything(): Promise<void> {
  await part('first start', () => firstStart(options));
  await swept(sweptStories);
  await part(`${approversMax} approvals at once`, () => oneDecision(options));
  await moments();
  if (nats === undefined) await alsoOnNats('called-agent-asks');
}

/** One story over a log in NATS as well: with `--log nats` all are. */
async function alsoOnNats(name: string): Promise<void> {
  if (findNatsServer() === undefined && process.env.CI !== 'true')
    return say(`SKIPPED: ${name} on NATS: no nats-server on the PATH or in STOPGO_NATS_SERVER`);
  const server = await NatsServer.start();
  try {
    await part(`${name} on NATS`, () => sweep(storyOf(name), { ...options, nats: server }, { share }));
  } finally {
    await server.stop();
  }
}

async function moments(): Promise<void> {
  say(`random moments with --seed ${seed}${every === 1 ? '' : ` --share ${every}`}`);
  await part('random moments', () => randomMoments(options, seed, Math.ceil(kills / every), say));
}

async function swept(chosen: readonly Story[]): Promise<void> {
  for (const story of chosen) await part(story.name, () => sweep(story, options, { share }));
  for (const { story, after } of recoveries) {
    if (!chosen.includes(storyOf(story))) continue;
    await part(`recovery of ${story} after ${after.join()}`, () => sweep(storyOf(story), options, { after, share }));
  }
}

async function part(name: string, run: () => Promise<Findings & { plans?: number; missed?: readonly Plan[] }>) {
  const from = performance.now();
  const findings = await run();
  const { violations, kills: killed, calls, inDoubt, recovered, plans, missed: notReached = [] } = findings;
  points += (plans ?? 0) - notReached.length;
  missed += notReached.length;
  parts.push(findings);
  say(
    `${name}: ${plans === undefined ? '' : `${plans} points, `}${killed} kills, ${calls} calls, ${inDoubt} in doubt, ` +
      `${recovered} recovered, ${seconds(from)} s${violations.length === 0 ? '' : `, ${violations.length} VIOLATIONS`}`,
  );
  for (const plan of notReached) say(`  not reached this time: ${plan.join(', then ')}`);
  for (const violation of violations) say(`  VIOLATION ${violation}`);
}

try {
  if (only === undefined) await everything();
  else if (only === 'random') await moments();
  else await swept([only]);
} finally {
  model.stop();
  await nats?.stop();
  programs.remove();
}

const all = total(parts);
say(
  `${all.violations.length === 0 ? 'all promises kept' : `${all.violations.length} VIOLATIONS`}: points ${points}` +
    `${missed === 0 ? '' : ` (${missed} more not reached)`}, ` +
    `kills ${all.kills}, restarts ${all.restarts}, calls ${all.calls}, in doubt ${all.inDoubt}, ` +
    `recovered ${all.recovered}, seconds ${seconds(begun)}, seed ${seed}${every === 1 ? '' : `, a share of 1 in ${every}`}`,
);
process.exitCode = all.violations.length === 0 ? 0 : 1;

/** The mutant of this name between the services; undefined if there is none: then it is one of the source. */
function seamMutant(name: string | undefined): MutantName | undefined {
  return (Object.keys(mutants) as MutantName[]).find((one) => one === name);
}

function atLeastOne(share: number): number {
  if (share < 1) throw new Error('--share takes a number from 1');
  return share;
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1_000).toFixed(1);
}
