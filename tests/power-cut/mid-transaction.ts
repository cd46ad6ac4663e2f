import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readWriteAheadLog } from './write-ahead-log.ts';

/** How long the right moment is looked for, and how long at a stretch, in milliseconds. */
const lookMsMax = 60_000;
const stretchMs = 20;

/**
 * Stops processes in the middle of writing a transaction: its first frames are in the write-ahead log of SQLite, its last
 * is not. Throws if that moment does not come.
 */
export async function stopMidTransaction(pids: readonly number[], log: string): Promise<void> {
  const deadline = performance.now() + lookMsMax;
  while (performance.now() < deadline) {
    // Those who write live in this process: they must get to work too.
    await new Promise((resolve) => setImmediate(resolve));
    if (!beginsToChange(log)) continue;
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    while (!pids.every(standsStill));
    const { frames, inWholeTransactions } = readWriteAheadLog(log);
    if (frames > inWholeTransactions) return;
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  throw new Error(`nobody could be stopped in the middle of a transaction in ${lookMsMax} ms`);
}

/** Waits, with everything else in this process, until a file is written to. */
function beginsToChange(path: string): boolean {
  const before = stamp(path);
  const until = performance.now() + stretchMs;
  while (performance.now() < until) if (stamp(path) !== before) return true;
  return false;
}

function stamp(path: string): string {
  const { size, mtimeNs } = statSync(path, { bigint: true });
  return `${size} ${mtimeNs}`;
}

function standsStill(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8');
    // After the name, which stands in brackets and may hold any character.
    return text.slice(text.lastIndexOf(')') + 2).startsWith('T');
  });
}
