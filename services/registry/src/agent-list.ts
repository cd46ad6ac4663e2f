import type { KeptRepository } from './kept-repository.ts';
import { allAgents, type FoundAgent } from './lookup.ts';

/** An agent, and all that is searched of it in lower case. */
export type SearchedAgent = FoundAgent & { readonly text: string };

type Seen = { readonly repository: KeptRepository; readonly revision: number };

/** All agents that a name can find, by name. Ten thousand are put in order once for each change, not for each question. */
export class AgentList {
  #seen: readonly Seen[] = [];
  #agents: readonly SearchedAgent[] = [];

  of(repositories: readonly KeptRepository[]): readonly SearchedAgent[] {
    const isSame =
      repositories.length === this.#seen.length &&
      repositories.every((one, index) => {
        const seen = this.#seen[index];
        return seen?.repository === one && seen.revision === one.record.state.revision;
      });
    if (isSame) return this.#agents;
    this.#seen = repositories.map((repository) => ({ repository, revision: repository.record.state.revision }));
    this.#agents = searchedOf(repositories);
    return this.#agents;
  }
}

/** The same, not kept. */
export function searchedOf(repositories: readonly KeptRepository[]): readonly SearchedAgent[] {
  return allAgents(repositories).map((found) => {
    const { name, description, tags } = found.agent;
    // No word holds a line break: none is found across two of them.
    return { ...found, text: [name, description, ...tags].join('\n').toLowerCase() };
  });
}

/** Place of the first agent whose name comes after this one, in a list by name. */
export function firstAfter(agents: readonly FoundAgent[], name: string): number {
  let [from, to] = [0, agents.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((agents[middle]?.agent.name ?? '') > name) to = middle;
    else from = middle + 1;
  }
  return from;
}
