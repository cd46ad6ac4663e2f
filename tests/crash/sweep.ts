import { conclude, type Findings, total } from './findings.ts';
import { platformPoints } from './points.ts';
import { type Story, sweptStories } from './stories.ts';
import { type Notes, Teller } from './teller.ts';
import { World, type WorldOptions } from './world.ts';

/** Of the plans of a story every so many-eth, from which one on. */
export type Share = { readonly every: number; readonly from: number };

/** Orders for consecutive lives of the platform; see `World.order`. */
export type Plan = readonly string[];

export type Swept = Findings & {
  readonly plans: number;
  /** Plans whose last point the story did not come to this time. */
  readonly missed: readonly Plan[];
};

/**
 * Tells a story once for every point that it passes, or for a share of them, and dies there. With `after`, the platform has died
 * there already, and what is swept is the recovery.
 */
export async function sweep(
  story: Story,
  options: WorldOptions,
  { after = [], share }: { readonly after?: Plan; readonly share?: Share } = {},
): Promise<Swept> {
  const world = await World.open(optionsFor(story, options));
  const notes = newNotes();
  const plans = await plansOf(world, story, after, notes);
  return tellAll(world, story, share === undefined ? plans : ofShare(share, plans), notes);
}

/** Those of a share. Whoever takes all that begin elsewhere has taken everything. */
function ofShare({ every, from }: Share, plans: readonly Plan[]): readonly Plan[] {
  return plans.filter((_, index) => index % every === from % every);
}

/**
 * Dies before and after everything that a platform puts on the record when it starts for the first time, one life after the other. What
 * is there is not put there again: in each life the first that is left is the one.
 */
export async function firstStart(options: WorldOptions): Promise<Swept> {
  const [story] = sweptStories;
  if (story === undefined) throw new Error('there is no story');
  const dry = await World.open(options);
  const counts = await dry.counts();
  const dryFindings = await conclude(dry, newNotes());
  const points = Array.from({ length: counts['define.before'] }, () => ['define.before:1', 'define.after:1']).flat();
  const world = await World.open(options, points);
  const notes = newNotes();
  await tellWith(world, story, [], notes);
  const findings = total([dryFindings, await conclude(world, notes)]);
  return { ...findings, plans: points.length, missed: findings.kills < points.length ? [points] : [] };
}

/** Tells a story once for each plan. */
export async function runPlans(story: Story, plans: readonly Plan[], options: WorldOptions): Promise<Swept> {
  return tellAll(await World.open(optionsFor(story, options)), story, plans, newNotes());
}

function optionsFor({ isTree, hasAgents }: Story, options: WorldOptions): WorldOptions {
  return { ...options, ...(isTree && { isTree }), ...(hasAgents && { hasAgents }) };
}

async function tellAll(world: World, story: Story, plans: readonly Plan[], notes: Notes): Promise<Swept> {
  const missed: Plan[] = [];
  for (const plan of plans) if (!(await tellWith(world, story, plan, notes))) missed.push(plan);
  return { ...(await conclude(world, notes)), plans: plans.length, missed };
}

/** What can be ordered, as a telling without these orders counts it. */
async function plansOf(world: World, story: Story, after: Plan, notes: Notes): Promise<Plan[]> {
  const tag = `${story.name}-dry-${world.life}`;
  await tellWith(world, story, after, notes, tag);
  const counts = await world.counts();
  const begun = world.toolRuns().filter(({ argumentsJson }) => argumentsJson.includes(tag)).length;
  const points = platformPoints.flatMap((point) => (isOfStart(point) ? [] : numbered(point, counts[point])));
  // A call of a tool that died already is the one that is being recovered.
  const calls = after.length > 0 ? 0 : begun;
  const inTools = toolPoints.flatMap((point) => numbered(point, calls));
  return [...points, ...inTools].map((last) => [...after, last]);
}

function isOfStart(point: string): boolean {
  return point.startsWith('define.');
}

const toolPoints = ['begin', 'end'].flatMap((when) =>
  ['platform', 'server', 'both'].map((who) => `tool.${when}.${who}`),
);

function numbered(point: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${point}:${index + 1}`);
}

/** True if every order was carried out. */
async function tellWith(world: World, story: Story, plan: Plan, notes: Notes, tag?: string): Promise<boolean> {
  await world.order(plan);
  // What is counted, and what dies once more in a recovery, runs again what is in doubt: that way is the longest.
  if (plan.length > 1 || tag !== undefined) notes.doubts = 0;
  const before = world.deaths().length;
  const teller = new Teller(world, tag ?? `${story.name}-${plan.join('-').replaceAll(/[^a-z0-9]/g, '-')}`, notes);
  try {
    await story.tell(teller);
  } catch (error) {
    teller.wrong(error instanceof Error ? error.message : String(error));
  }
  if (plan.some((order) => order.includes('.server:'))) await toolServerIsBack(teller);
  if (tag === undefined) await world.settle();
  return world.deaths().length - before >= plan.length;
}

/** Tool servers in a world. */
const servers = 2;

/** A tool server that has died is started again after a while; until then calls of it are not made. */
async function toolServerIsBack(teller: Teller): Promise<void> {
  const { world, tag } = teller;
  let tries = 0;
  await teller.until('the tool server', async () => {
    tries += 1;
    const probe = `${tag}-probe-${tries}`;
    await teller.open(`list all resources starting with ${probe}`);
    await teller.open(`call ledger_note {"text":"${probe}"}`);
    return world.toolRuns().filter((run) => run.argumentsJson.includes(probe)).length === servers;
  });
}

/** Notes of a world in which nothing has happened. */
export function newNotes(): Notes {
  return { acknowledged: [], violations: [], doubts: 0 };
}
