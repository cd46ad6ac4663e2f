import { statSync } from 'node:fs';
import { unavailable } from '@stopgo/core';
import { diskTexts } from '../../disk-condition.ts';

/** Which file it is that has a name, as the system counts files. */
export type FilePlace = { readonly dev: number; readonly ino: number };

/** Which file has the name now. Throws if there is none. */
export function placeOf(file: string): FilePlace {
  const { dev, ino } = statSync(file);
  return { dev, ino };
}

/**
 * Gives a check that an open file is still the one at its path. A program goes on writing into a file that was deleted or moved away, and
 * all of it would be lost to whoever starts next. The check costs some microseconds, and takes what nobody can tell for sound.
 *
 * @throws the check: DomainError `unavailable` with the reason `file_gone`. Nothing was recorded.
 */
export function placeCheckOf(file: string, { dev, ino }: FilePlace): () => void {
  return () => {
    const now = statOf(file);
    if (now === 'unknown' || (now !== undefined && now.ino === ino && now.dev === dev)) return;
    throw unavailable(diskTexts.file_gone, { reason: 'file_gone', recorded: 'nothing' }, { retryAfterMs: 5_000 });
  };
}

function statOf(file: string): { readonly dev: number; readonly ino: number } | undefined | 'unknown' {
  try {
    return statSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'unknown';
  }
}
