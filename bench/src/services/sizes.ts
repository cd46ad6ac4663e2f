import type { ServicesSizes } from './measure.ts';
import type { StoredSizes } from './measure-stored.ts';
import type { TakeoverSizes } from './measure-takeover.ts';

/** How much is done. */
export type Sizes = ServicesSizes & {
  readonly countedTurns: number;
  readonly takeover: TakeoverSizes;
  readonly storedSizes: StoredSizes;
};

export const full: Sizes = {
  shapes: [
    { orchestrators: 1, stores: 1 },
    { orchestrators: 2, stores: 1 },
    { orchestrators: 4, stores: 1 },
    { orchestrators: 1, stores: 2 },
    { orchestrators: 2, stores: 2 },
    { orchestrators: 4, stores: 2 },
  ],
  turns: [
    { concurrent: 1, turns: 300 },
    { concurrent: 50, turns: 2_000 },
  ],
  warmUpTurns: 600,
  countedTurns: 20,
  takeover: { rounds: 3, runsPerRound: 20 },
  storedSizes: { stored: 100_000, waiting: 10_000, idleSeconds: 10, reads: 200 },
};

/** All shapes, less of everything: for a slow machine. */
export const short: Sizes = {
  shapes: full.shapes,
  turns: [
    { concurrent: 1, turns: 100 },
    { concurrent: 50, turns: 800 },
  ],
  warmUpTurns: 400,
  countedTurns: 10,
  takeover: { rounds: 2, runsPerRound: 20 },
  storedSizes: { stored: 10_000, waiting: 1_000, idleSeconds: 5, reads: 100 },
};

export const quick: Sizes = {
  shapes: [{ orchestrators: 1, stores: 1 }],
  turns: [
    { concurrent: 1, turns: 100 },
    { concurrent: 50, turns: 600 },
  ],
  warmUpTurns: 200,
  countedTurns: 5,
  takeover: { rounds: 1, runsPerRound: 10 },
  storedSizes: { stored: 1_000, waiting: 100, idleSeconds: 3, reads: 50 },
};
