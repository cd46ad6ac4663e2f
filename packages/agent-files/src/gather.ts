import { lookAlikeKeys, spelledName } from '@stopgo/core';
import type { AgentPlace } from './place.ts';
import type { Problem } from './problem.ts';

/** A file that is an agent, or would be one if it could be read. */
export type Candidate = { readonly path: string; readonly place: AgentPlace };

/** Which file of a repository each name means. */
export type Gathered<One extends Candidate> = {
  readonly agents: ReadonlyMap<string, One>;
  /** Of files that are not an agent, since another one has a name that cannot be told from theirs. */
  readonly problems: readonly Problem[];
  /** Of files that another one of the same name goes before. */
  readonly warnings: readonly Problem[];
};

/**
 * Gives each name of a repository to one file. Of files with the same name that with the lowest precedence has it, also if it cannot be
 * read: otherwise a mistake in it would bring back what it has replaced. Of names that look alike only the first in the order of paths stays.
 */
export function gatherAgents<One extends Candidate>(candidates: readonly One[]): Gathered<One> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const byName = new Map<string, One>();
  const inOrder = candidates.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  for (const one of inOrder.toSorted((a, b) => a.place.precedence - b.place.precedence)) {
    const first = byName.get(one.place.name);
    if (first === undefined) byName.set(one.place.name, one);
    else
      warnings.push(
        about(one, `"${one.place.name}" is ${first.path}, which goes before this file; remove one of them`),
      );
  }
  const agents = new Map<string, One>();
  const taken = new Map<string, string>();
  for (const one of inOrder) {
    const { name } = one.place;
    if (byName.get(name) !== one) continue;
    const keys = lookAlikeKeys(name);
    const other = keys.map((key) => taken.get(key)).find((found) => found !== undefined);
    if (other === undefined) {
      for (const key of keys) taken.set(key, name);
      agents.set(name, one);
    } else
      problems.push(about(one, `its name ${spelledName(name)} looks like ${spelledName(other)}; give it another one`));
  }
  return { agents, problems, warnings };
}

function about({ path }: Candidate, message: string): Problem {
  return { path, line: 1, column: 1, message, kind: 'name' };
}
