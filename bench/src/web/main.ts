// `npm run bench:web`: how the web app does with much to show, in the Chromium of this machine: the times between frames while a
// conversation of 1,000 messages is scrolled and an answer is written in it, and in an inbox of 10,000 approvals; and how long a
// page takes until it can be used. It prints tables and keeps nothing.
import { flagsOf } from '../../../scripts/flags.mjs';
import { describeMachine, watchOthers } from '../machine.ts';
import { quantiles } from '../quantiles.ts';
import { limitRun } from '../run.ts';
import { table, whole } from '../table.ts';
import type { Frames } from './in-page.ts';
import { measurePages } from './measure.ts';
import { openWorld } from './world.ts';

const wholeRunMs = 60 * 60_000;
const usage = 'usage: npm run bench:web -- [--messages N] [--approvals N]';

const values = flagsOf(usage, { messages: { type: 'string' }, approvals: { type: 'string' } });
const countOf = (given: unknown, otherwise: number): number => (given === undefined ? otherwise : Number(given));
const sizes = { messages: countOf(values.messages, 1_000), approvals: countOf(values.approvals, 10_000) };
limitRun(wholeRunMs);
const machine = describeMachine();
const others = watchOthers();
const world = await openWorld();
const measured = await measurePages(world, sizes).finally(() => world.close());

const framesRow = ([what, { frames, longTasks, cpuMs }]: readonly [string, Frames]): readonly string[] => {
  const { p50, p95 } = quantiles(frames);
  const long = longTasks.length === 0 ? 'none' : `${longTasks.length}, ${whole(Math.max(...longTasks))} ms at most`;
  return [
    what,
    String(frames.length),
    whole(p50),
    whole(p95),
    whole(Math.max(...frames)),
    long,
    whole(cpuMs.all),
    whole(cpuMs.code),
    whole(cpuMs.style + cpuMs.layout),
  ];
};

console.log(`Node ${machine.node}, ${machine.cores} cores (${machine.processor}), load ${machine.load.toFixed(1)} before,
others took ${whole(others())} % of the machine. ${sizes.messages} messages, ${sizes.approvals} approvals.

${table(['frames, ms between two', 'frames', 'median', 'p95', 'longest', 'long tasks', 'CPU ms', 'of that code', 'styles and layout'], measured.frames.map(framesRow))}

${table(
  ['ready, ms after the navigation began', 'median', 'slowest'],
  measured.ready.map(([what, times]) => [what, whole(quantiles(times).p50), whole(Math.max(...times))]),
)}`);
