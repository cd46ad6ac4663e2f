import type { FloorSizes } from './floor.ts';
import type { TreeSizes } from './measure-trees.ts';
import type { TurnSizes } from './measure-turns.ts';

/** How much is done. */
export type Sizes = FloorSizes &
  TurnSizes & {
    /** How often everything is measured anew, with a fresh platform each time; the median counts. */
    readonly passes: number;
    readonly trees: TreeSizes;
    readonly stored: number;
    readonly reads: number;
    /** Turns of the one long conversation, and after which ones it is looked at. */
    readonly longTurns: number;
    readonly longMarks: readonly number[];
  };

export const full: Sizes = {
  passes: 3,
  floorAppends: 500,
  floorRequests: 2_000,
  turns: [
    { concurrent: 1, turns: 300 },
    { concurrent: 50, turns: 2_000 },
    { concurrent: 200, turns: 2_000 },
  ],
  warmUpTurns: 300,
  idleSeconds: 5,
  trees: { concurrent: 10, turns: 300, warmUpTurns: 100 },
  stored: 10_000,
  reads: 200,
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
  stored: 1_000,
  reads: 50,
  longTurns: 100,
  longMarks: [10, 50, 100],
};
