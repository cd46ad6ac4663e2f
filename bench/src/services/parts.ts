import { readdirSync, readFileSync } from 'node:fs';
import { cpuSeconds, memoryMb } from '../process-usage.ts';

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
  const children = childrenByParent();
  const found: Part[] = [{ name: 'launcher', pid: launcher }];
  const look = (pid: number): void => {
    for (const child of children.get(pid) ?? []) {
      const name = nameOf(child);
      if (name !== undefined) found.push({ name, pid: child });
      look(child);
    }
  };
  look(launcher);
  return found;
}

/** What the parts use, added up by name. CPU counts from the start of each. */
export function usageOf(parts: readonly Part[]): readonly Usage[] {
  const names = [...new Set(parts.map((part) => part.name))];
  return names.map((name) => {
    const same = parts.filter((part) => part.name === name);
    return {
      name,
      processes: same.length,
      cpuSeconds: same.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
      rssMb: same.reduce((sum, { pid }) => sum + memoryMb(pid).now, 0),
    };
  });
}

function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

function parentOf(pid: number): number | undefined {
  const status = read(`/proc/${pid}/status`);
  const parent = status === undefined ? undefined : /^PPid:\s+(\d+)/m.exec(status)?.[1];
  return parent === undefined ? undefined : Number(parent);
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
