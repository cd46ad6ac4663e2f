import type { FinishedCall } from '@stopgo/core';

/** The results that an append is about to put on the record, for an effect that was begun before that is known. */
export type Foreseen = {
  readonly results: readonly FinishedCall[];
  /** Whether the append was taken as it was decided. Never rejects. */
  readonly isTaken: Promise<boolean>;
};
