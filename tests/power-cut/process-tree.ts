import { readdirSync, readFileSync } from 'node:fs';

/** A process and everything that it has started, directly or not, which has not been left behind by its parent. */
export function treeOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [pid];
  for (const one of tree) tree.push(...(children.get(one) ?? []));
  return tree;
}

/** Ends processes as a power cut would. Those that are gone already are no problem. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') throw error;
    }
}

function parentOf(name: string): number | undefined {
  if (!/^\d+$/.test(name)) return undefined;
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    // After the name, which stands in brackets and may hold any character: the state, then the parent.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
