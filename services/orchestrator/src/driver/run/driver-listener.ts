import type { RunHandle } from '../handle/run-handle.ts';

/** What a driver tells the process it runs in. */
export type DriverListener = {
  /** The state, or who owns the run, may have changed. */
  changed(driver: RunHandle): void;
  /** A late outcome is on the record: the run may have work again. */
  handedIn(driver: RunHandle): void;
  /** The driver cannot go on, for a reason that should not exist. */
  faulted(driver: RunHandle): void;
};
