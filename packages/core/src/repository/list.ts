// Which repositories people have kept, beside those of the configuration: the fold of one stream.
import type { RecordedFact } from '../events/facts.ts';
import type { RepositorySource } from './repository.ts';

/** How a repository is reached. */
export type RepositoryAuth = 'none' | 'token' | 'ssh-key';

/** A repository that somebody has kept. Secrets are sealed. */
export type ListedRepository = {
  readonly name: string;
  readonly source: RepositorySource;
  readonly syncIntervalMs: number;
  readonly isActive: boolean;
  readonly authType: RepositoryAuth;
  /** Empty where there is none. */
  readonly sealedCredentials: Uint8Array;
  readonly sealedWebhookSecret: Uint8Array;
  readonly keyId: string;
  /** Revision of the event that says so. */
  readonly revision: number;
};

/** All of them, by name. */
export type RepositoryList = {
  readonly revision: number;
  readonly repositories: ReadonlyMap<string, ListedRepository>;
};

export const emptyRepositoryList: RepositoryList = { revision: 0, repositories: new Map() };

/** The list after one more event of its stream. Other facts change nothing but the revision. */
export function evolveRepositoryList(before: RepositoryList, event: RecordedFact): RepositoryList {
  const { fact: one, revision } = event;
  if (one.case === 'repositoryListed') {
    const { name, source, authType, $typeName: _, $unknown: __, ...rest } = one.value;
    const listed: ListedRepository = {
      ...rest,
      name,
      source: { gitUrl: source?.gitUrl ?? '', branch: source?.branch ?? '', isRoot: source?.isRoot ?? false },
      authType: authType === 'token' || authType === 'ssh-key' ? authType : 'none',
      revision,
    };
    return { revision, repositories: new Map(before.repositories).set(name, listed) };
  }
  if (one.case !== 'repositoryUnlisted') return { ...before, revision };
  const repositories = new Map(before.repositories);
  repositories.delete(one.value.name);
  return { revision, repositories };
}
