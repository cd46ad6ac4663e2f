// A repository of agents: the fold of its stream. Agents are judged by all of its files together, so what is kept is what each file holds.
import type { NotOfRepositories, RecordedFact } from '../events/facts.ts';

/** Where agents are taken from. */
export type RepositorySource = { readonly gitUrl: string; readonly branch: string; readonly isRoot: boolean };

/** Why a file holds no agent that can be used. `line` and `column` count from 1; 0: it is about the file as a whole. */
export type FileError = {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly kind: string;
};

/** What a file holds: an agent, or errors. */
export type KnownFile = {
  readonly path: string;
  /** Absent: it holds errors. */
  readonly agent?: FileAgent;
  readonly errors: readonly FileError[];
  /** The commit that it was read at, and when, in milliseconds since 1970. */
  readonly commit: string;
  readonly readAt: number;
};

export type FileAgent = {
  readonly name: string;
  readonly digest: string;
  readonly description: string;
  readonly version: string;
  readonly tags: readonly string[];
};

/** A repository as its stream has it. */
export type AgentRepository = {
  /** Revision of the last event folded; 0 before the first. */
  readonly revision: number;
  readonly name: string;
  readonly source: RepositorySource;
  /** The commit that all files were read at; empty if there is none, or what was read last was not read to its end. */
  readonly commit: string;
  readonly reader: string;
  /** When it was synced last, and why it could not be since then; 0 and absent where that never happened. */
  readonly syncedAt: number;
  readonly failure?: { readonly message: string; readonly kind: string; readonly at: number };
  /** By path: files that hold an agent or errors. */
  readonly files: ReadonlyMap<string, KnownFile>;
};

/** A repository that nobody has added. */
export const noRepository: AgentRepository = {
  revision: 0,
  name: '',
  source: { gitUrl: '', branch: '', isRoot: false },
  commit: '',
  reader: '',
  syncedAt: 0,
  files: new Map(),
};

/** A repository after one more event of its stream. Other facts change nothing but the revision. */
export function evolveRepository(before: AgentRepository, event: RecordedFact): AgentRepository {
  const { fact: one, revision, time } = event;
  switch (one.case) {
    case 'repositoryAdded':
      return { ...noRepository, revision, name: one.value.name, source: sourceOf(one.value.source) };
    case 'repositoryChanged':
      return withSource({ ...before, revision }, sourceOf(one.value.source));
    case 'repositorySynced':
      return withFiles({ ...before, revision }, one.value, time);
    case 'repositorySyncFailed': {
      const { message, kind } = one.value;
      return { ...before, revision, failure: { message, kind, at: time } };
    }
    case 'repositoryRemoved': {
      const { name, source } = before;
      return { ...noRepository, revision, name, source };
    }
    case 'repositoryListed':
    case 'repositoryUnlisted':
      return { ...before, revision };
    default:
      one.case satisfies NotOfRepositories;
      return { ...before, revision };
  }
}

function sourceOf(source: Partial<RepositorySource> | undefined): RepositorySource {
  return { gitUrl: source?.gitUrl ?? '', branch: source?.branch ?? '', isRoot: source?.isRoot ?? false };
}

/** Agents stay usable until those of the new place are known, unless they are called otherwise from now on. */
function withSource(before: AgentRepository, source: RepositorySource): AgentRepository {
  const isRenamed = source.isRoot !== before.source.isRoot;
  const isElsewhere = isRenamed || source.gitUrl !== before.source.gitUrl;
  return {
    ...before,
    source,
    ...(isElsewhere ? { commit: '' } : {}),
    ...(isRenamed ? { files: new Map() } : {}),
  };
}

type Synced = Extract<RecordedFact['fact'], { case: 'repositorySynced' }>['value'];

function withFiles(before: AgentRepository, synced: Synced, time: number): AgentRepository {
  const { commit, reader, continues } = synced;
  const files = synced.files.length === 0 ? before.files : new Map(before.files);
  if (files instanceof Map) {
    for (const { path, agentName, agentDigest, description, version, tags, errors } of synced.files) {
      const isAgent = agentDigest !== '';
      if (!isAgent && errors.length === 0) files.delete(path);
      else
        files.set(path, {
          path,
          ...(isAgent
            ? { agent: { name: agentName, digest: agentDigest, description, version, tags: [...tags] } }
            : {}),
          errors: errors.map(({ message, line, column, kind }) => ({ message, line, column, kind })),
          commit,
          readAt: time,
        });
    }
  }
  const { failure: _, ...rest } = before;
  // Until the last part is there nobody knows which files the parts have in common with an older commit.
  return continues ? { ...before, files, commit: '' } : { ...rest, files, commit, reader, syncedAt: time };
}
