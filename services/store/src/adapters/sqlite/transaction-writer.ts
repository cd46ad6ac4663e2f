import { inOneStep, type SqlDatabase } from './database.ts';

/** Writes to one SQLite file, one transaction after the other. */
export type TransactionWriter = {
  /**
   * Makes all that `change` writes in one transaction, or none of it; `change` is called before this returns. All is on disk once it
   * resolves. Until then nobody sees any of it, and the next one must wait. Rejects with the failure. `isFree`: nobody is held up
   * if this thread waits for the disk.
   */
  write(change: () => void, isFree: boolean): Promise<void>;
  /** Lets go of the file, once what is being written has ended. */
  close(): Promise<void>;
};

/** Writes at once, on the connection that reads as well. */
export function writingAtOnce(database: SqlDatabase): TransactionWriter {
  return {
    write: async (change) => inOneStep(database, change),
    close: async () => undefined,
  };
}
