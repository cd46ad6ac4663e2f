import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** The machine, without anything that names it. */
export type Machine = {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Processes that wanted a core, on average over the last minute, before the bench began. */
  readonly load: number;
};

export function describeMachine(): Machine {
  const [first] = cpus();
  return {
    cores: cpus().length,
    processor: first?.model.trim() ?? '',
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${process.platform} ${release()}`,
    node: process.version,
    load: loadavg()[0] ?? 0,
  };
}

/**
 * Starts to watch what else the machine does. Gives, when it is asked after everything that this process started has ended, the
 * share of the machine that others have taken since, in percent; what a host kept for itself counts as well (Linux only).
 */
export function watchOthers(): () => number {
  const before = ticks();
  return () => {
    const after = ticks();
    const [all, busy, ours] = [after.all - before.all, after.busy - before.busy, after.ours - before.ours];
    return Math.max(0, (100 * (busy - ours)) / all);
  };
}

/** Of all cores: the time that there was, and in which something ran; and the time of this process and its ended children. */
function ticks(): { readonly all: number; readonly busy: number; readonly ours: number } {
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is in them already.
  const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? [];
  const counted = fields.slice(0, 8).map(Number);
  const all = sum(counted);
  // After the name, which may hold anything: the 14th to 17th field are this process and its children, user and system.
  const own = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return { all, busy: all - sum(counted.slice(3, 5)), ours: sum(own) };
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
