import type { FairSizes } from './fair/measure.ts';
import type { FloorSizes } from './floor.ts';
import type { TreeSizes } from './measure-trees.ts';
import type { TurnSizes } from './measure-turns.ts';

/** How much is done. */
export type Sizes = FloorSizes &
  TurnSizes & {
    /** How often everything is measured anew, with a fresh platform each time; the median counts. */
    readonly passes: number;
    readonly trees: TreeSizes;
    readonly fair: FairSizes;
    readonly stored: number;
    readonly reads: number;
    /** Approvals that wait while people read what is for them. */
    readonly inbox: number;
    /** Conversations that wait for an approval while nobody asks anything, two or more; and for how long that is watched. */
    readonly waiting: number;
    readonly waitingIdleSeconds: number;
    /** Turns of the one long conversation, and after which ones it is looked at. */
    readonly longTurns: number;
    readonly longMarks: readonly number[];
  };

export const full: Sizes = {
  passes: 3,
  floorAppends: 500,
  floorRequests: 2_000,
  turns: [
    { concurrent: 1, turns: 500 },
    { concurrent: 50, turns: 2_000 },
    { concurrent: 200, turns: 1_500 },
  ],
  // As processes are that have been up for minutes: after 200 a turn of `bare` takes twice the CPU that it takes after 3,000.
  warmUpTurns: 2_500,
  idleSeconds: 5,
  trees: { concurrent: 10, turns: 300, warmUpTurns: 100 },
  fair: { atOnce: [50, 200], turns: 500, seconds: 5, warmUpTurns: 1_500, largeMessages: 300 },
  stored: 10_000,
  reads: 200,
  inbox: 10_000,
  waiting: 100_000,
  waitingIdleSeconds: 60,
  longTurns: 1_000,
  longMarks: [10, 100, 500, 1_000],
};

export const quick: Sizes = {
  passes: 1,
  floorAppends: 200,
  floorRequests: 500,
  turns: [
    { concurrent: 1, turns: 100 },
    { concurrent: 50, turns: 600 },
    { concurrent: 200, turns: 600 },
  ],
  warmUpTurns: 200,
  idleSeconds: 2,
  trees: { concurrent: 5, turns: 50, warmUpTurns: 20 },
  fair: { atOnce: [50], turns: 100, seconds: 3, warmUpTurns: 200, largeMessages: 100 },
  stored: 1_000,
  reads: 50,
  inbox: 1_000,
  waiting: 2_000,
  waitingIdleSeconds: 5,
  longTurns: 100,
  longMarks: [10, 50, 100],
};
