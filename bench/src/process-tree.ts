import { readdirSync, readFileSync } from 'node:fs';
import { cpuSeconds, memoryMb } from './process-usage.ts';

/** A process, and all that it and those that it started have started, in no order (Linux only). */
export function treeOf(root: number): readonly number[] {
  const children = childrenByParent();
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Seconds of CPU that these processes have used, each since its start. */
export function cpuSecondsOf(pids: readonly number[]): number {
  return sum(pids.map(cpuSeconds));
}

/**
 * Memory of these processes in MB (10^6 bytes), added up: now, and what each had at most, at whatever moment. What several of
 * them share, as the program of Node, counts for each.
 */
export function memoryMbOf(pids: readonly number[]): { readonly now: number; readonly peak: number } {
  const each = pids.map(memoryMb);
  return { now: sum(each.map(({ now }) => now)), peak: sum(each.map(({ peak }) => peak)) };
}

function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const parent = Number.isInteger(pid) ? parentOf(pid) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

/** Undefined if the process has ended meanwhile. */
function parentOf(pid: number): number | undefined {
  try {
    const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
