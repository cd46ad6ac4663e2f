// A limit for what a script starts: a program that hangs must not take the rest of a verification with it.
import { execFileSync } from 'node:child_process';

/**
 * Runs `start` and kills what it started once `minutes` have passed. Resolves to the exit code of `start`, or to 124 (as of
 * timeout(1)) if the time was up; the processes that were still running are then printed, so that one sees what hung.
 * @param {number} minutes
 * @param {(started: (pid: number) => void) => Promise<number>} start calls `started` with the id of the process it waits for
 * @param {(line: string) => void} print
 */
export async function withTimeLimit(minutes, start, print = console.log) {
  let pid;
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    const running = pid === undefined ? [] : treeOf(pid, processes());
    print(`stopped after ${minutes} minutes; still running (id, parent, seconds, command):`);
    for (const one of running) print(`  ${one.pid} ${one.parent} ${one.seconds} ${one.command.slice(0, 200)}`);
    for (const one of running.reverse()) kill(one.pid);
  }, minutes * 60_000);
  try {
    const code = await start((started) => {
      pid = started;
    });
    return isOver ? 124 : code;
  } finally {
    clearTimeout(timer);
  }
}

/** A process and all that descend from it, parents first. */
export function treeOf(pid, all) {
  const own = all.filter((one) => one.pid === pid);
  return own.concat(all.filter((one) => one.parent === pid && one.pid !== pid).flatMap((one) => treeOf(one.pid, all)));
}

function processes() {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,etimes=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, seconds, command] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), seconds: Number(seconds), command: command ?? '' }];
  });
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
