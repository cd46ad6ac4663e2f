import { useEffect } from 'react';
import { platform } from '../api/platform.ts';
import { Store, useStore } from '../state/store.ts';
import { apiOf } from './places.ts';
import type { Agent, AgentAnswer, Definition } from './types.ts';

// Definitions by their digests. One never changes, so that it is asked for once.

const known = new Store<ReadonlyMap<string, Definition>>(new Map());
const keptMax = 1_000;
/** How many are asked for at once. */
const atOnce = 4;

function keep(digest: string, definition: Definition): void {
  const next = new Map(known.get()).set(digest, definition);
  for (const oldest of next.keys()) {
    if (next.size <= keptMax) break;
    next.delete(oldest);
  }
  known.set(next);
}

/** The definitions of these agents, as far as they are here; the others are asked for, the first of the list first. */
export function useDefinitions(agents: readonly Agent[]): ReadonlyMap<string, Definition> {
  const definitions = useStore(known);
  useEffect(() => {
    const ended = new AbortController();
    const wanted = agents.filter(({ definition_digest: digest }) => !known.get().has(digest));
    const work = async (): Promise<void> => {
      for (let agent = wanted.shift(); agent !== undefined && !ended.signal.aborted; agent = wanted.shift()) {
        const answer = await platform.connection.ask<AgentAnswer>(apiOf(agent.name), { signal: ended.signal });
        keep(answer.agent.definition_digest, answer.definition);
      }
    };
    // What cannot be had is left out; the list says by itself that the platform does not answer.
    for (let worker = 0; worker < atOnce; worker += 1) work().catch(() => undefined);
    return () => ended.abort();
  }, [agents]);
  return definitions;
}
