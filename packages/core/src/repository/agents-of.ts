import { lookAlikeKeys } from '../text/look-alike.ts';
import { visibleLine } from '../text/visible.ts';
import type { AgentRepository, FileAgent, FileError, KnownFile } from './repository.ts';

/** An agent that can be used, and where it stands. */
export type AgentOfFile = FileAgent & {
  readonly path: string;
  /** The commit that the file was read at, and when, in milliseconds since 1970. */
  readonly commit: string;
  readonly readAt: number;
};

/** What is wrong in a repository, file by file. */
export type ErrorOfFile = FileError & { readonly path: string; readonly at: number };

/** What a repository has to offer. */
export type OfferedAgents = {
  /** By name. */
  readonly agents: ReadonlyMap<string, AgentOfFile>;
  /** By path. */
  readonly errors: readonly ErrorOfFile[];
};

/**
 * The agents of a repository. Of several files of one name the first by `precedenceOf` is the agent, and the others are passed over. A
 * name that looks like that of a file before it is an error of the later file.
 *
 * @param precedenceOf of a path; the lowest is the first. Paths of the same are taken in their order.
 */
export function agentsOf(
  { files }: Pick<AgentRepository, 'files'>,
  precedenceOf: (path: string) => number,
): OfferedAgents {
  const ordered = [...files.values()].sort(
    (one, other) => precedenceOf(one.path) - precedenceOf(other.path) || (one.path < other.path ? -1 : 1),
  );
  const agents = new Map<string, AgentOfFile>();
  const looks = new Map<string, string>();
  const errors: ErrorOfFile[] = [];
  for (const { path, agent, errors: own, commit, readAt } of ordered) {
    for (const error of own) errors.push({ ...error, path, at: readAt });
    if (agent === undefined || agents.has(agent.name)) continue;
    const keys = lookAlikeKeys(agent.name);
    const like = keys.map((key) => looks.get(key)).find((name) => name !== undefined);
    if (like === undefined) {
      agents.set(agent.name, { ...agent, path, commit, readAt });
      for (const key of keys) looks.set(key, agent.name);
    } else errors.push({ path, at: readAt, line: 0, column: 0, kind: 'name', message: looksLike(agent.name, like) });
  }
  errors.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
  return { agents, errors };
}

function looksLike(name: string, other: string): string {
  return `the name ${visibleLine(name)} looks like ${visibleLine(other)}, another agent of this repository; name the file otherwise`;
}

/** True if both files hold the same. */
export function isSameFile(
  one: Pick<KnownFile, 'agent' | 'errors'>,
  other: Pick<KnownFile, 'agent' | 'errors'>,
): boolean {
  return JSON.stringify([one.agent, one.errors]) === JSON.stringify([other.agent, other.errors]);
}
