import { candidatePaths } from '@stopgo/agent-files';
import { agentStream, fact, notFound } from '@stopgo/core';
import { type DefinitionPorts, recordDefinition } from '@stopgo/log';
import type { KeptRepository } from './kept-repository.ts';
import type { AgentOfFile } from './offered.ts';
import { readFile } from './sync/read-file.ts';

/** An agent, and the repository that it is from. */
export type FoundAgent = { readonly repository: KeptRepository; readonly agent: AgentOfFile };

/**
 * Finds an agent by its name: in repositories of the configuration and then in those that people have listed; of each, in root repositories,
 * in their order, and then in the repository that the beginning of the name is the name of. Names are compared exactly.
 */
export function findAgent(repositories: readonly KeptRepository[], name: string): FoundAgent | undefined {
  for (const repository of lookupOrder(repositories)) {
    const agent = repository.find(name);
    if (agent !== undefined && !isTaken(name, namespacesBefore(repositories, repository))) return { repository, agent };
  }
  return undefined;
}

/** Those of the configuration first, and of each kind root repositories. */
export function lookupOrder(repositories: readonly KeptRepository[]): readonly KeptRepository[] {
  const rank = ({ options: { isConfigured, isRoot } }: KeptRepository): number =>
    (isConfigured ? 0 : 2) + (isRoot ? 0 : 1);
  return [...repositories].sort((one, other) => rank(one) - rank(other));
}

/**
 * What no name of an agent of a root repository may begin with: the names of other repositories, since rules rest on whose agent a name
 * means. Those of listed ones bind no repository of the configuration: who lists one takes no names from it.
 */
export function namespacesBefore(
  repositories: readonly KeptRepository[],
  { options }: KeptRepository,
): ReadonlySet<string> {
  const before = options.isRoot
    ? repositories.filter((one) => !one.options.isRoot && (one.options.isConfigured || !options.isConfigured))
    : [];
  return new Set(before.map((one) => one.options.name));
}

/** Whether a name begins with the name of a repository that goes before. */
export const isTaken = (name: string, namespaces: ReadonlySet<string>): boolean =>
  namespaces.has(name.slice(0, Math.max(0, name.indexOf('/'))));

/** All agents that a name can find, by name. */
export function allAgents(repositories: readonly KeptRepository[]): readonly FoundAgent[] {
  const found = new Map<string, FoundAgent>();
  for (const repository of lookupOrder(repositories)) {
    if (!repository.options.isActive) continue;
    const { agents } = repository.offered();
    const namespaces = namespacesBefore(repositories, repository);
    for (const agent of agents.values())
      if (!found.has(agent.name) && !isTaken(agent.name, namespaces)) found.set(agent.name, { repository, agent });
  }
  return [...found.values()].sort((one, other) => (one.agent.name < other.agent.name ? -1 : 1));
}

/**
 * An agent as it was at a commit, branch or tag. Its definition is put on the record.
 *
 * @throws DomainError `not_found` if no repository that the name may mean has it there, with what is wrong with the file if there is one.
 */
export async function findAgentAt(
  repositories: readonly KeptRepository[],
  name: string,
  revision: string,
  definitions: DefinitionPorts,
  settings: { readonly model: string; readonly turnsMax: number },
  signal: AbortSignal,
): Promise<FoundAgent & { readonly definitionJson: string }> {
  const problems: string[] = [];
  for await (const { repository, commit, path, object } of filesAt(repositories, name, revision, problems, signal)) {
    const { namespace } = repository;
    for await (const [, blob] of repository.mirror.contents([object], signal)) {
      const read = readFile(path, blob, { ...settings, ...(namespace === undefined ? {} : { namespace }) });
      const { agent, defined } = read;
      if (agent === undefined || defined === undefined || agent.name !== name) {
        problems.push(...read.errors.map(({ message, line }) => `${path}:${line}: ${message}`));
        continue;
      }
      await recordDefinition(definitions, agentStream(defined.digest), fact('agentDefined', defined), signal);
      const [latest] = await repository.mirror.history(commit, [path], 1, signal);
      const at = { path, commit, readAt: latest?.time ?? 0 };
      return { repository, agent: { ...agent, ...at }, definitionJson: defined.definitionJson };
    }
  }
  throw noneAt(name, revision, problems);
}

/** Whether an agent that was found at some revision is the one that its name finds now, of the commit that is synced. */
export function isSynced(repositories: readonly KeptRepository[], { repository, agent }: FoundAgent): boolean {
  const now = findAgent(repositories, agent.name);
  if (now === undefined || now.repository !== repository || now.agent.path !== agent.path) return false;
  // Its file may have been read at an earlier commit, and has not changed since.
  return agent.commit === now.agent.commit || agent.commit === repository.record.state.commit;
}

/**
 * The file of an agent at a commit, branch or tag, whatever it holds.
 *
 * @throws DomainError `not_found`; GitFailure
 */
export async function fileAt(
  repositories: readonly KeptRepository[],
  name: string,
  revision: string,
  signal: AbortSignal,
): Promise<FileAt> {
  const problems: string[] = [];
  for await (const file of filesAt(repositories, name, revision, problems, signal)) return file;
  throw noneAt(name, revision, problems);
}

/** The error for an agent that was not there. */
export function noneAt(name: string, revision: string, problems: readonly string[]) {
  const why = problems.length === 0 ? '' : ` (${problems.slice(0, 3).join('; ')})`;
  return notFound(`there is no agent ${name} at ${revision}${why}`);
}

/** A file that may hold an agent, at a commit. */
export type FileAt = {
  readonly repository: KeptRepository;
  readonly commit: string;
  readonly path: string;
  readonly object: string;
};

/**
 * The files that a name may mean at a commit, branch or tag, the one that counts first. Why there are none is added to `problems`.
 *
 * @throws GitFailure
 */
export async function* filesAt(
  repositories: readonly KeptRepository[],
  name: string,
  revision: string,
  problems: string[],
  signal: AbortSignal,
): AsyncGenerator<FileAt, void, undefined> {
  for (const repository of lookupOrder(repositories)) {
    const { namespace, mirror } = repository;
    if (!repository.options.isActive || (namespace !== undefined && !name.startsWith(`${namespace}/`))) continue;
    if (isTaken(name, namespacesBefore(repositories, repository))) continue;
    const known = repository.find(name)?.path;
    // Any name may be asked for: hosts are asked for what agents have that are there now.
    const commit = await repository.commitOf(revision, known !== undefined, signal);
    if (commit === undefined) {
      problems.push(`${repository.options.name} has no ${revision}`);
      continue;
    }
    const own = namespace === undefined ? name : name.slice(namespace.length + 1);
    for (const path of new Set([...candidatePaths(own), ...(known === undefined ? [] : [known])])) {
      const entry = await mirror.entryOf(commit, path, signal);
      if (entry?.kind === 'file') yield { repository, commit, path, object: entry.object };
    }
  }
}
