import { readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '@stopgo/log';
import type { Logger } from '@stopgo/runtime';
import { leftoversMs, pollMs } from '../bounds.ts';

/** Set for every process that a launcher starts, to the folder that the launcher has locked. */
export const launchedFor = 'STOPGO_LAUNCHED_FOR';

/**
 * Waits for what a launcher that was killed has left of itself: its processes stop by themselves, and those that take
 * too long are ended. Whoever calls this has locked the folder, so that none of them is anybody's. Does nothing where
 * processes cannot be looked at (no `/proc`).
 */
export async function endLeftovers(dataDir: string, logger: Logger, signal: AbortSignal): Promise<void> {
  let left = processesFor(dataDir);
  if (left.length === 0) return;
  logger.info(`waiting for ${left.length} processes of an earlier start to end`);
  const deadline = systemClock.monotonic() + leftoversMs;
  while (left.length > 0) {
    if (systemClock.monotonic() > deadline) for (const pid of left) end(pid);
    await systemClock.sleep(pollMs, signal);
    left = processesFor(dataDir);
  }
}

function processesFor(dataDir: string): readonly number[] {
  const marked = `\0${launchedFor}=${dataDir}\0`;
  return list('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => `\0${read(`/proc/${pid}/environ`)}`.includes(marked))
    .map(Number);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty if the process has gone or is somebody else's. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
