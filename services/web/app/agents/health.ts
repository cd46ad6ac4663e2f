import type { Repository, ToolServer } from './types.ts';

/** Whether an agent can work as its file says, in words. */
export type Health = { readonly tone: 'good' | 'wait' | 'bad'; readonly text: string };

const usable = new Set(['ready', 'degraded']);

/** Names of the tool servers of which nothing can be used now, among those that are needed; undefined: all are. */
function missing(needed: readonly string[] | undefined, servers: readonly ToolServer[]): readonly string[] {
  const ready = new Set(servers.filter(({ state }) => usable.has(state)).map(({ name }) => name));
  const names = needed === undefined ? servers.map(({ name }) => name) : needed;
  return [...new Set(names)].filter((name) => !ready.has(name));
}

/**
 * How an agent stands.
 *
 * @param needed - the tool servers that it takes tools of; undefined: all.
 * @param repository - where it comes from; undefined: from the configuration.
 */
export function healthOf(
  needed: readonly string[] | undefined,
  servers: readonly ToolServer[],
  repository: Repository | undefined,
): Health {
  const without = missing(needed, servers);
  if (without.length > 0) return { tone: 'bad', text: `Has no tools of ${without.join(', ')} now` };
  if (repository?.last_failure) return { tone: 'wait', text: 'May be old: its repository cannot be synced' };
  return { tone: 'good', text: 'Ready' };
}
