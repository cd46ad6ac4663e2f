import { inOneStep, type SqlDatabase } from './database.ts';

/** Writes to one SQLite file, one transaction after the other. */
export type TransactionWriter = {
  /**
   * Makes all that `change` writes in one transaction, or none of it. Once all is on disk `made` is called, before anybody can read it. The
   * next one must wait until this resolves. Rejects with the failure; with that of `made` if it is that. `isFree`: nobody is held up if
   * this thread waits for the disk.
   */
  write(change: () => void, made: () => void, isFree: boolean): Promise<void>;
  /** Lets go of the file, once what is being written has ended. */
  close(): Promise<void>;
};

/** Writes at once, on the connection that reads as well. */
export function writingAtOnce(database: SqlDatabase): TransactionWriter {
  return {
    write: async (change, made) => {
      inOneStep(database, change);
      made();
    },
    close: async () => undefined,
  };
}
