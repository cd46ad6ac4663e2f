import { gatherAgents, nameOfPath } from '@stopgo/agent-files';
import type { AgentRepository, FileAgent, FileError, KnownFile } from '@stopgo/core';

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
 * The agents of a repository, by the rules of `stopgo agents check`: of several files of one name the first is the agent, also if it cannot
 * be read, and of names that look alike only the first stays.
 */
export function offeredBy({ files }: Pick<AgentRepository, 'files'>): OfferedAgents {
  const all = [...files.values()];
  const { agents: gathered, problems } = gatherAgents(all.flatMap(placed));
  const agents = new Map<string, AgentOfFile>();
  for (const { path, agent, commit, readAt } of gathered.values())
    if (agent !== undefined) agents.set(agent.name, { ...agent, path, commit, readAt });
  const errors = [
    ...all.flatMap(({ path, errors: own, readAt: at }) => own.map((error) => ({ ...error, path, at }))),
    ...problems.map((problem) => ({ ...problem, column: 0, line: 0, at: files.get(problem.path)?.readAt ?? 0 })),
  ];
  return { agents, errors: errors.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)) };
}

/** A file where an agent may be. */
function placed(file: KnownFile) {
  const reading = nameOfPath(file.path);
  return reading.kind === 'agent' ? [{ ...file, place: reading.place }] : [];
}
