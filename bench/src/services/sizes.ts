import type { TreeSizes } from '../measure-trees.ts';
import type { RoundSizes } from './measure.ts';
import type { StoredSizes } from './measure-stored.ts';
import type { TakeoverSizes } from './measure-takeover.ts';

/** How much is done. */
export type Sizes = RoundSizes & {
  readonly trees: TreeSizes;
  readonly countedTurns: number;
  readonly takeover: TakeoverSizes;
  readonly storedSizes: StoredSizes;
};

const smallest = { orchestrators: 1, stores: 1 };

/** The smallest shape three times, spread over the run: what changes with the hour shows between them. */
export const full: Sizes = {
  shapes: [
    smallest,
    { orchestrators: 2, stores: 1 },
    { orchestrators: 4, stores: 1 },
    smallest,
    { orchestrators: 1, stores: 2 },
    { orchestrators: 2, stores: 2 },
    { orchestrators: 4, stores: 2 },
    smallest,
  ],
  floorAppends: 300,
  floorRequests: 1_000,
  floorCalls: 2_000,
  turns: [
    { concurrent: 1, turns: 300 },
    { concurrent: 50, turns: 1_500 },
  ],
  // As services are that have been up for minutes: after 400 a turn takes a fifth longer than after 4,000, and then no less.
  warmUpTurns: 4_000,
  idleSeconds: 1,
  trees: { concurrent: 10, turns: 200, warmUpTurns: 100 },
  countedTurns: 20,
  takeover: { kills: 6, runsPerKill: 20 },
  storedSizes: { stored: 100_000, waiting: 10_000, idleSeconds: 10, reads: 200 },
};

/** To see that it works. */
export const quick: Sizes = {
  shapes: [smallest],
  floorAppends: 100,
  floorRequests: 300,
  floorCalls: 300,
  turns: [
    { concurrent: 1, turns: 50 },
    { concurrent: 50, turns: 200 },
  ],
  warmUpTurns: 100,
  idleSeconds: 1,
  trees: { concurrent: 5, turns: 30, warmUpTurns: 10 },
  countedTurns: 5,
  takeover: { kills: 2, runsPerKill: 10 },
  storedSizes: { stored: 1_000, waiting: 100, idleSeconds: 3, reads: 50 },
};
