import { readFileSync } from 'node:fs';
import { cpuSecondsOf, memoryMbOf, treeOf } from '../process-tree.ts';

/** A process of the platform, by what it does. */
export type Part = { readonly name: string; readonly pid: number };

/** What all processes that do the same use together. */
export type Usage = {
  readonly name: string;
  readonly processes: number;
  readonly cpuSeconds: number;
  readonly rssMb: number;
};

/** The processes that a launcher has started, and those that they have: services by their names, and nats-server. */
export function partsOf(launcher: number): readonly Part[] {
  return treeOf(launcher).flatMap((pid) => {
    const name = pid === launcher ? 'launcher' : nameOf(pid);
    return name === undefined ? [] : [{ name, pid }];
  });
}

/** What the parts use, added up by name. CPU counts from the start of each. */
export function usageOf(parts: readonly Part[]): readonly Usage[] {
  const names = [...new Set(parts.map((part) => part.name))];
  return names.map((name) => {
    const same = parts.filter((part) => part.name === name).map(({ pid }) => pid);
    return { name, processes: same.length, cpuSeconds: cpuSecondsOf(same), rssMb: memoryMbOf(same).now };
  });
}

function nameOf(pid: number): string | undefined {
  const words = read(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
  if (words[0]?.endsWith('nats-server') === true) return 'nats-server';
  const at = words.indexOf('service');
  return at < 0 ? undefined : words[at + 1];
}

/** Undefined if the process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
