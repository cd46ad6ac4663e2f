import { readdirSync, readFileSync } from 'node:fs';

/**
 * Seconds of CPU that a process alone, without its children, has used: the sum of its threads as the scheduler counts
 * them, in nanoseconds. (Node keeps its threads until it ends, so none is missing.)
 */
export function cpuSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** Memory of a process in MB (10^6 bytes): now, and the most there ever was. */
export function memoryMb(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  return { now: of('VmRSS'), peak: of('VmHWM') };
}
