// What may stand in the list of repositories that people have kept.
import { formatDuration } from '../text/duration.ts';
import { conflict, invalidArgument, notFound, resourceExhausted } from '../text/errors.ts';
import type { ListedRepository, RepositoryList } from './list.ts';

/** Bounds of a repository, and of how many there are. */
export const repositoryBounds = {
  nameCharactersMax: 64,
  syncIntervalMsMin: 1_000,
  syncIntervalMsMax: 86_400_000,
  repositoriesMax: 200,
} as const;

/** What a repository may be called, since its name may stand before those of its agents. */
export const repositoryNamePattern = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

/**
 * Checks that a repository can be listed anew.
 *
 * @param configured names of the repositories of the configuration.
 * @throws DomainError
 */
export function checkNewRepository(list: RepositoryList, name: string, configured: ReadonlySet<string>): void {
  if (!repositoryNamePattern.test(name) || name.length > repositoryBounds.nameCharactersMax)
    throw invalidArgument(
      `name must be a letter, and then letters, digits, _ or -, at most ${repositoryBounds.nameCharactersMax} in all`,
      { field: 'name' },
    );
  if (configured.has(name)) throw conflict(`the configuration has a repository ${name}; choose another name`);
  if (list.repositories.has(name)) throw conflict(`there is a repository ${name}; change it, or choose another name`);
  if (list.repositories.size + configured.size >= repositoryBounds.repositoriesMax)
    throw resourceExhausted(`there are ${repositoryBounds.repositoriesMax} repositories; remove one`);
}

/**
 * The repository of this name, if it may be changed.
 *
 * @throws DomainError `not_found`; `conflict` for one of the configuration.
 */
export function requireListed(list: RepositoryList, name: string, configured: ReadonlySet<string>): ListedRepository {
  if (configured.has(name))
    throw conflict(
      `the repository ${name} is one of "agent_repositories" in the configuration: change it there, and restart`,
    );
  const listed = list.repositories.get(name);
  if (listed === undefined)
    throw notFound(`there is no repository ${name.slice(0, repositoryBounds.nameCharactersMax)}`);
  return listed;
}

/** Checks how often a repository is looked at. @throws DomainError `invalid_argument` */
export function checkSyncInterval(ms: number): void {
  const { syncIntervalMsMin, syncIntervalMsMax } = repositoryBounds;
  if (!(ms >= syncIntervalMsMin && ms <= syncIntervalMsMax))
    throw invalidArgument(
      `sync_interval must be from ${formatDuration(syncIntervalMsMin)} to ${formatDuration(syncIntervalMsMax)}`,
      { field: 'sync_interval' },
    );
}
