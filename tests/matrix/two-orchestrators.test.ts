/**
 * The same three branches with two orchestrators alive over one log: decisions are told to either in turn, and whoever acts
 * upon one is dropped at every place at which one can be. Nobody says that it is dead: its heartbeat lapses.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agent, callIds, callsPerBranch, model } from './agent.ts';
import { wrongWith } from './check.ts';
import { crashesAfter } from './orders.ts';
import { Platform, type Running } from './platform.ts';
import { Story } from './story.ts';

/** Time to live of the heartbeats, in milliseconds: each crash waits for it. */
const ttlMs = 1_500;
/** Stories beside each other, each on a platform of its own: mostly they wait for heartbeats to lapse. */
const platformsMax = 6;

/** Orders in which each call is decided once at each place, and its branch's other call before and after it. */
const orders: readonly (readonly string[])[] = callIds.map((_, shift) => {
  const turned = [...callIds.slice(shift), ...callIds.slice(0, shift)];
  return shift % 2 === 0 ? turned : [0, 2, 4, 1, 3, 5].map((index) => turned[index] ?? '');
});

/** One crash in each story: after each decision of each order, at each place. */
const cases = orders.flatMap((order) =>
  order.flatMap((callId, index) => {
    const isLast = order.slice(0, index + 1).filter((one) => branchOf(one) === branchOf(callId)).length;
    return crashesAfter(isLast === callsPerBranch).map((crash) => ({ order, index, crash }));
  }),
);
const isAll = process.env.MATRIX_ALL === '1';
/** Every so many of them are told; with MATRIX_ALL=1 all are. */
const every = isAll ? 1 : 5;
/** For a machine that is busy with other things. */
const testMs = isAll ? 7_200_000 : 600_000;

let platforms: Platform[] = [];

beforeAll(async () => {
  const answering = model(() => undefined);
  platforms = await Promise.all(
    Array.from({ length: platformsMax }, () => Platform.start({ agent, model: answering, ttlMs })),
  );
}, testMs);

afterAll(async () => {
  await Promise.all(platforms.map((platform) => platform.stop()));
}, testMs);

test(
  'whoever of two is dropped, the other one goes on: each call runs once, each model answers once',
  async () => {
    const left = cases.filter((_, index) => index % every === 0);
    const told = new Set<string>();
    const violations: string[] = [];
    const total = left.length;
    await Promise.all(
      platforms.map(async (platform) => {
        let pair: [Running, Running] = [await platform.startOrchestrator(), await platform.startOrchestrator()];
        for (let one = left.shift(); one !== undefined && violations.length === 0; one = left.shift()) {
          const { order, index: struck, crash } = one;
          told.add(`${crash.name} after ${struck + 1}`);
          const story = new Story(platform, `${order.join()} ${struck} ${crash.name}`);
          await story.open(pair[0]);
          for (const [index, callId] of order.entries()) {
            const [first, second] = index % 2 === 0 ? pair : [pair[1], pair[0]];
            platform.nudged = first;
            if (index === struck) {
              if (crash.drop === 'idle') platform.drop(first);
              else first.tether.order(crash.drop);
            }
            const revision = await story.decide(callId, true);
            if (index === struck) {
              await first.tether.dropped;
              platform.drop(first);
              // Whoever was nudged in vain is not told again: the one that is left finds the run by itself.
              pair = [second, await platform.startOrchestrator()];
            }
            await story.watch.quiet(revision);
            await story.look();
          }
          story.watch.end();
          const { message, watch } = story;
          const what = { message, events: watch.events, runs: platform.toolRuns(), ran: order, neverRan: [] };
          const wrong = wrongWith({ ...what, isRejected: false }).map((text) => `${message}: ${text}`);
          violations.push(...story.violations, ...wrong);
        }
      }),
    );
    console.log(`${total} stories with two orchestrators; ${told.size} kinds of crash and decision`);
    expect(violations).toEqual([]);
  },
  testMs,
);

function branchOf(callId: string): string {
  return callId.split('#')[0] ?? '';
}
