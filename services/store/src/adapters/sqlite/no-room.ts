import { tmpdir } from 'node:os';
import { failedPrecondition } from '@stopgo/core';

/** What SQLite and the system call a disk that takes no more, and a quota that is used up. */
const codes: ReadonlySet<unknown> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT']);

/**
 * What to throw for a copy that could not be written into a folder: the disk of the copy is full, which is seldom that of the log. `remedy`
 * says what can be done, beside making room. Any other error is given back as it is.
 */
export function noRoomOr(error: unknown, folder: string, remedy: string): unknown {
  if (!isFull(error)) return error;
  const problem = `there is no room in ${folder} for a copy of the event log; make some, or ${remedy}`;
  return failedPrecondition(problem, {}, { cause: error });
}

/** As {@link noRoomOr}, of a copy that is made to be read. */
export function noTemporaryRoomOr(error: unknown): unknown {
  return noRoomOr(error, tmpdir(), 'set TMPDIR to a folder on a larger disk');
}

function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && codes.has(error.code)) || isFull(error.cause);
}
