import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  actorFromWire,
  agentStream,
  DomainError,
  failedPrecondition,
  invalidArgument,
  matchesAny,
  notFound,
  quotedName,
  type RepositoryAuth,
  requireAllowed,
  suggest,
} from '@stopgo/core';
import { type DefinitionPorts, recordedDefinition } from '@stopgo/log';
import { registry as wire } from '@stopgo/proto';
import { Secret, type ServiceImpl } from '@stopgo/rpc';
import { AgentList, firstAfter, type SearchedAgent, searchedOf } from './agent-list.ts';
import { diffAgent } from './diff.ts';
import { GitFailure } from './git/git-failure.ts';
import type { Ref } from './git/refs.ts';
import { isOfWorkTree } from './git/work-tree.ts';
import type { KeptRepository } from './kept-repository.ts';
import type { Repositories, RepositoryChange } from './list/repositories.ts';
import {
  allAgents,
  type FoundAgent,
  fileAt,
  findAgent,
  findAgentAt,
  isSynced,
  isTaken,
  lookupOrder,
  namespacesBefore,
} from './lookup.ts';
import type { AgentOfFile, ErrorOfFile } from './offered.ts';
import { TooManyFiles } from './sync/plan.ts';
import { receiveWebhook } from './webhook/receive.ts';

const limitDefault = 50;
const limitMax = 200;
const patternsMax = 200;
const historyDefault = 10;
const historyMax = 100;
const errorsShown = 100;
const refsMax = 1_000;
const nameCharactersMax = 300;

export type ServiceOptions = {
  readonly repositories: Pick<Repositories, 'all' | 'add' | 'change' | 'remove'>;
  readonly definitions: DefinitionPorts;
  readonly model: string;
  readonly turnsMax: number;
};

/** The gRPC surface of the registry. */
export function registryService(options: ServiceOptions): ServiceImpl<typeof wire.RegistryService> {
  const { definitions } = options;
  const all = () => options.repositories.all();
  const list = new AgentList();
  const latestFile = async (name: string, signal: AbortSignal) => {
    const { repository, agent } = required(all(), name);
    const commit = await repository.commitOf(repository.revision || agent.commit, true, signal);
    if (commit === undefined) throw notFetched(repository);
    return { repository, commit, path: agent.path };
  };
  return {
    listRepositories: async () => ({ repositories: lookupOrder(all()).map((one) => shownRepository(one, all())) }),

    async syncRepository({ name }, { principal }) {
      requireAllowed(principal, 'repository.sync');
      const repository = named(all(), name);
      if (!repository.options.isActive) throw failedPrecondition(`the repository ${name} is not active`);
      try {
        await repository.sync();
      } catch (error) {
        if (error instanceof GitFailure || error instanceof TooManyFiles)
          throw failedPrecondition(`the repository ${name} cannot be synced: ${error.message}`, {
            reason: error instanceof GitFailure ? error.kind : 'too_many_files',
          });
        throw error;
      }
      return { repository: shownRepository(repository, all()) };
    },

    async addRepository({ name, gitUrl, isRoot, settings, actor }, { principal, signal }) {
      requireAllowed(principal, 'repository.manage');
      const wanted = { name, gitUrl, isRoot, ...changeOf(settings) };
      const repository = await options.repositories.add(wanted, actorFromWire(actor), signal);
      return { repository: shownRepository(repository, all()) };
    },

    async changeRepository({ name, change, actor }, { principal, signal }) {
      requireAllowed(principal, 'repository.manage');
      const repository = await options.repositories.change(name, changeOf(change), actorFromWire(actor), signal);
      return { repository: shownRepository(repository, all()) };
    },

    async removeRepository({ name, actor }, { principal, signal }) {
      requireAllowed(principal, 'repository.manage');
      await options.repositories.remove(name, actorFromWire(actor), signal);
      return {};
    },

    receiveWebhook: async (request) => receiveWebhook(all(), request),

    async listAgents({ repository, query, limit, cursor, patterns }) {
      if (patterns.length > patternsMax) throw invalidArgument(`patterns: at most ${patternsMax} are taken`);
      const from = repository === '' ? list.of(all()) : searchedOf([named(all(), repository)]);
      const words = query
        .toLowerCase()
        .split(/\s+/u)
        .filter((word) => word !== '');
      const isWanted = ({ agent, text }: SearchedAgent) =>
        (patterns.length === 0 || matchesAny(patterns, agent.name)) && words.every((word) => text.includes(word));
      const found = words.length === 0 && patterns.length === 0 ? from : from.filter(isWanted);
      const start = cursor === '' ? 0 : firstAfter(found, cursor);
      const page = found.slice(start, start + bounded(limit, limitDefault, limitMax));
      const last = page.at(-1)?.agent.name ?? '';
      return {
        agents: page.map(shownAgent),
        nextCursor: start + page.length < found.length ? last : '',
        total: found.length,
      };
    },

    async resolveAgent({ name, revision }, { signal }) {
      checkName(name);
      if (revision !== '') {
        const at = await ofGit(() => findAgentAt(all(), name, revision, definitions, options, signal));
        return { agent: shownAgent(at), definitionJson: at.definitionJson, synced: isSynced(all(), at) };
      }
      const found = required(all(), name);
      const definitionJson = await recordedDefinition(definitions.log, agentStream(found.agent.digest), signal);
      return { agent: shownAgent(found), definitionJson, synced: true };
    },

    async listHistory({ name, limit, revision }, { signal }) {
      checkName(name);
      const count = bounded(limit, historyDefault, historyMax);
      const commits = await ofGit(async () => {
        const { repository, commit, path } =
          revision === '' ? await latestFile(name, signal) : await fileAt(all(), name, revision, signal);
        return repository.mirror.history(commit, [path], count, signal);
      });
      return {
        commits: commits.map(({ hash, message, author, time, changedFiles }) => ({
          ...{ hash, message, author, time: timestampFromMs(time), changedFiles: [...changedFiles] },
        })),
      };
    },

    async diffAgent({ name, fromRevision, toRevision }, { signal }) {
      checkName(name);
      const { from, to, patch } = await ofGit(() =>
        diffAgent(all(), { name, from: fromRevision, to: toRevision }, signal),
      );
      return {
        ...{ fromCommit: from?.commit ?? '', toCommit: to.commit, repository: to.repository.options.name },
        ...{ fromPath: from?.path ?? '', toPath: to.path, patch },
      };
    },

    async listBranches({ name }, { signal }) {
      const repository = named(all(), name);
      const { branches, tags } = await ofGit(() => repository.mirror.refs(signal));
      if (branches.length === 0) throw notFetched(repository);
      const shown = (refs: readonly Ref[]) =>
        refs.slice(0, refsMax).map((ref) => ({ ...ref, time: timestampFromMs(ref.time) }));
      const more = Math.max(branches.length, tags.length) > refsMax;
      return { branches: shown(branches), tags: shown(tags), more };
    },
  };
}

function changeOf(change: wire.RepositoryChange | undefined): RepositoryChange {
  const { branch, syncIntervalMs, isActive, authType, credentials, webhookSecret } = change ?? {};
  return {
    ...{ branch, syncIntervalMs, isActive, authType: authType === undefined ? undefined : authTypeOf(authType) },
    credentials: credentials === undefined ? undefined : new Secret(credentials),
    webhookSecret: webhookSecret === undefined ? undefined : webhookSecret === '' ? null : new Secret(webhookSecret),
  };
}

function authTypeOf(text: string): RepositoryAuth {
  if (text === 'none' || text === 'token' || text === 'ssh-key') return text;
  throw invalidArgument('auth_type must be none, token or ssh-key', { field: 'auth_type' });
}

/** Why the mirror holds no branch. */
function notFetched({ options: { name, isWorkTree }, record: { state } }: KeptRepository): DomainError {
  if (state.failure !== undefined)
    return new DomainError('unavailable', `the repository ${name} cannot be synced: ${state.failure.message}`);
  if (isWorkTree === true && isOfWorkTree(state.commit))
    return failedPrecondition(`the folder of ${name} is no repository of git with commits: there is no history of it`);
  return new DomainError('unavailable', `this registry has not fetched ${name} yet; try again`);
}

/** What git says is an answer, not a fault of the service. */
async function ofGit<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (error.kind === 'refused') throw invalidArgument(error.message);
    throw new DomainError('unavailable', error.message);
  }
}

function checkName(name: string): void {
  if (name === '' || name.length > nameCharactersMax)
    throw invalidArgument(`name must have 1 to ${nameCharactersMax} characters`, { field: 'name' });
}

const bounded = (limit: number, otherwise: number, max: number): number =>
  limit === 0 ? otherwise : Math.min(limit, max);

function named(repositories: readonly KeptRepository[], name: string): KeptRepository {
  const found = repositories.find(({ options }) => options.name === name);
  if (found === undefined) throw notFound(`there is no repository ${name.slice(0, nameCharactersMax)}`);
  return found;
}

function required(repositories: readonly KeptRepository[], name: string): FoundAgent {
  const found = findAgent(repositories, name);
  if (found !== undefined) return found;
  const like = suggest(
    name,
    allAgents(repositories).map(({ agent }) => agent.name),
  );
  throw notFound(`there is no agent ${name}${like === undefined ? '' : `; did you mean ${like}?`}`);
}

function shownAgent({ repository, agent }: FoundAgent): MessageInitShape<typeof wire.AgentSchema> {
  const { name, description, version, tags, path, commit, readAt, digest } = agent;
  return {
    ...{ name, description, version, tags: [...tags], path, commit },
    ...{ repository: repository.options.name, namespaced: !repository.options.isRoot },
    ...{ modifiedAt: timestampFromMs(readAt), definitionDigest: digest },
  };
}

function shownRepository(
  repository: KeptRepository,
  others: readonly KeptRepository[],
): MessageInitShape<typeof wire.RepositorySchema> {
  const { name, gitUrl, branch, isRoot, isActive, isConfigured, syncIntervalMs, authType } = repository.options;
  const { commit, failure, syncedAt } = repository.record.state;
  const { agents, errors: ofFiles } = repository.offered();
  const namespaces = namespacesBefore(others, repository);
  const taken = [...agents.values()].filter((agent) => isTaken(agent.name, namespaces));
  const errors = [...taken.map(nameTaken), ...ofFiles];
  return {
    ...{ name, gitUrl, branch, isRoot, isActive, commit, status: statusOf(repository) },
    ...{ isConfigured, syncIntervalMs, authType, takesWebhooks: repository.options.webhookSecret !== undefined },
    isWorkTree: repository.options.isWorkTree === true,
    ...(syncedAt === 0 ? {} : { syncedAt: timestampFromMs(syncedAt) }),
    ...(failure === undefined
      ? {}
      : { failure: failure.message, failureKind: failure.kind, failedAt: timestampFromMs(failure.at) }),
    agentCount: agents.size - taken.length,
    errorCount: errors.length,
    errors: errors.slice(0, errorsShown).map(({ path, at, message, line, column, kind }) => ({
      ...{ path, error: { message, line, column, kind }, time: timestampFromMs(at) },
    })),
  };
}

/** That an agent of a root repository has a name of another repository's. */
function nameTaken({ name, path, readAt }: AgentOfFile): ErrorOfFile {
  const message = `its name ${quotedName(name)} begins with the name of a repository, whose agents it would hide; give it another one`;
  return { path, at: readAt, message, line: 0, column: 0, kind: 'name' };
}

function statusOf({ isSyncing, record: { state } }: KeptRepository): wire.SyncStatus {
  if (isSyncing) return wire.SyncStatus.IN_PROGRESS;
  if (state.failure !== undefined) return wire.SyncStatus.FAILED;
  return state.syncedAt === 0 ? wire.SyncStatus.NEVER_SYNCED : wire.SyncStatus.SUCCESS;
}
