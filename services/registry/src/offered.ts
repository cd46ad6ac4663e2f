import { gatherAgents, nameOfPath } from '@stopgo/agent-files';
import { type AgentRepository, type FileAgent, type FileError, type KnownFile, quotedName } from '@stopgo/core';

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
 * be read, and of names that look alike only the first stays. `reserved`: a name that no agent of a repository has.
 */
export function offeredBy({ files }: Pick<AgentRepository, 'files'>, reserved?: string): OfferedAgents {
  const all = [...files.values()];
  const { agents: gathered, problems } = gatherAgents(all.flatMap(placed));
  const agents = new Map<string, AgentOfFile>();
  for (const { path, agent, commit, readAt } of gathered.values())
    if (agent !== undefined) agents.set(agent.name, { ...agent, path, commit, readAt });
  const errors = [
    ...all.flatMap(({ path, errors: own, readAt: at }) => own.map((error) => ({ ...error, path, at }))),
    ...reservedError(agents.get(reserved ?? '')),
    ...problems.map((problem) => ({ ...problem, column: 0, line: 0, at: files.get(problem.path)?.readAt ?? 0 })),
  ];
  agents.delete(reserved ?? '');
  return { agents, errors: errors.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)) };
}

/** A file where an agent may be. */
function placed(file: KnownFile) {
  const reading = nameOfPath(file.path);
  return reading.kind === 'agent' ? [{ ...file, place: reading.place }] : [];
}

function reservedError(agent: AgentOfFile | undefined): ErrorOfFile[] {
  if (agent === undefined) return [];
  const message = `its name ${quotedName(agent.name)} is that of the agent of the configuration; give it another one`;
  return [{ path: agent.path, at: agent.readAt, message, line: 0, column: 0, kind: 'name' }];
}
