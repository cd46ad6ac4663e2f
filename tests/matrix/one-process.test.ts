/**
 * Three branches with two approvals each: every order of the six decisions, and an orchestrator that is dropped after some of
 * them, over the whole at every place at which one can be, with the next one over the same log.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agent, branches, callIds, callsPerBranch, model } from './agent.ts';
import { wrongWith } from './check.ts';
import { Coverage, type Crash, crashesAfter, permutations } from './orders.ts';
import { Platform, type Running } from './platform.ts';
import { Story } from './story.ts';

/** Longer than everything here takes: whoever is dead is declared so. In milliseconds. */
const ttlMs = 600_000;
/** Platforms beside each other, so that the machine does not wait for the disk. */
const platformsMax = 4;
/**
 * Every order is told, each with two crashes: one that makes the short prefixes whole, and one after a later decision. With
 * MATRIX_ALL=1 there is one after each decision, until each prefix was told with each crash (about ten times as long).
 */
const isAll = process.env.MATRIX_ALL === '1';
/** For a machine that is busy with other things; on a quiet one it takes a twentieth. */
const testMs = isAll ? 7_200_000 : 600_000;
const wholePrefixes = isAll ? callIds.length : 2;
/** Every so many orders are told with a rejection. */
const rejectionEvery = 9;

const orders = permutations(callIds);
let platforms: Platform[] = [];
/** How often each branch of each story was asked what it wants: nobody is dropped before all have said it. */
const asked = new Map<string, number>();

beforeAll(async () => {
  const answering = model((message, branch, turn) => {
    if (turn === 1) asked.set(`${message} ${branch}`, (asked.get(`${message} ${branch}`) ?? 0) + 1);
  });
  platforms = await Promise.all(
    Array.from({ length: platformsMax }, () => Platform.start({ agent, model: answering, ttlMs })),
  );
}, testMs);

afterAll(async () => {
  await Promise.all(platforms.map((platform) => platform.stop()));
}, testMs);

test(
  'every order of decisions, with crashes after them: each call runs once, each model answers once',
  async () => {
    const coverage = new Coverage();
    const violations: string[] = [];
    let crashes = 0;
    let cases = 0;
    const left = [...orders];
    const isCovered = (): boolean =>
      coverage
        .byLength()
        .slice(0, wholePrefixes)
        .every(({ told, all }) => told === all);
    await onEach(async (platform, live) => {
      if (left.length === 0 && cases > 0 && !isCovered()) left.push(...orders);
      const order = left.shift();
      if (order === undefined || violations.length > 0) return undefined;
      cases += 1;
      const story = new Story(platform, `order ${cases}`);
      await story.open(live);
      const isWhole = (index: number): boolean => coverage.isWhole(order.slice(0, index + 1), crashesIn(order, index));
      const struck = [order.findIndex((_, index) => !isWhole(index)), 3 + (cases % 3)];
      for (const [index, callId] of order.entries()) {
        if (!isAll && !struck.includes(index)) {
          await story.watch.quiet(await story.decide(callId, true));
          await story.look();
          continue;
        }
        const prefix = order.slice(0, index + 1);
        const there = crashesIn(order, index);
        const crash = coverage.next(prefix, there);
        coverage.note(prefix, there, crash);
        const { drop } = crash;
        if (drop === 'idle') platform.drop(live);
        else live.tether.order(drop);
        const revision = await story.decide(callId, true);
        await live.tether.dropped;
        live = await successor(platform, live);
        crashes += 1;
        await story.watch.quiet(revision);
        await story.look();
      }
      violations.push(...story.violations, ...conclude(platform, story, { ran: order, neverRan: [] }));
      return live;
    });
    const pairs = coverage.byLength().map(({ told, all }) => `${told}/${all}`);
    console.log(
      `${cases} orders, ${crashes} crashes; prefixes with each crash after them, by length: ${pairs.join(' ')}`,
    );
    expect(violations).toEqual([]);
  },
  testMs,
);

test(
  'a branch is rejected while nobody is there: what is approved and has not started never runs',
  async () => {
    const violations: string[] = [];
    const left = orders.filter((_, index) => index % rejectionEvery === 0);
    let cases = 0;
    await onEach(async (platform, live) => {
      const order = left.shift();
      if (order === undefined || violations.length > 0) return undefined;
      cases += 1;
      const story = new Story(platform, `rejection ${cases}`);
      await story.open(live);
      // The branch whose calls are decided last of the first five is rejected; nobody is there from some decision on.
      const rejected = branchOf(order[4] ?? '');
      const aloneFrom = cases % 4;
      const ran: string[] = [];
      let revision = 0;
      for (const [index, callId] of order.entries()) {
        const isApproved = branchOf(callId) !== rejected;
        if (index === aloneFrom) platform.drop(live);
        revision = await story.decide(callId, isApproved);
        if (index < aloneFrom) await story.watch.quiet(revision);
        if (index < aloneFrom && isApproved) ran.push(callId);
        await story.look();
        const decided = order.slice(0, index + 1).filter((one) => branchOf(one) === rejected);
        if (decided.length === 2) break;
      }
      live = await successor(platform, live);
      await story.watch.quiet(revision + 1);
      await story.look();
      const neverRan = callIds.filter((callId) => !ran.includes(callId));
      violations.push(...story.violations, ...conclude(platform, story, { ran, neverRan, isRejected: true }));
      return live;
    });
    console.log(`${cases} orders with a rejected branch`);
    expect(violations).toEqual([]);
  },
  testMs,
);

/** Where it can crash after a decision of an order. */
function crashesIn(order: readonly string[], index: number): readonly Crash[] {
  const isOfBranch = (callId: string): boolean => branchOf(callId) === branchOf(order[index] ?? '');
  return crashesAfter(order.slice(0, index + 1).filter(isOfBranch).length === callsPerBranch);
}

/** Tells stories on all platforms until a teller gives no orchestrator any more. */
async function onEach(tell: (platform: Platform, live: Running) => Promise<Running | undefined>): Promise<void> {
  await Promise.all(
    platforms.map(async (platform) => {
      let live: Running | undefined = await platform.startOrchestrator();
      platform.nudged = live;
      while (live !== undefined) live = await tell(platform, live);
      if (platform.nudged !== undefined) await platform.nudged.stop();
    }),
  );
}

async function successor(platform: Platform, dropped: Running): Promise<Running> {
  platform.drop(dropped);
  await platform.declareDead(dropped);
  const next = await platform.startOrchestrator();
  platform.nudged = next;
  return next;
}

function conclude(
  platform: Platform,
  { message, watch }: Story,
  wanted: { readonly ran: readonly string[]; readonly neverRan: readonly string[]; readonly isRejected?: boolean },
): string[] {
  watch.end();
  const { isRejected = false } = wanted;
  const told = { message, events: watch.events, runs: platform.toolRuns(), ...wanted, isRejected };
  const again = branches.filter((branch) => asked.get(`${message} ${branch}`) !== 1);
  const wrong = [...wrongWith(told), ...again.map((branch) => `the model of ${branch} was asked again for its calls`)];
  return wrong.map((what) => `${message}: ${what}`);
}

function branchOf(callId: string): string {
  return callId.split('#')[0] ?? '';
}
