export type { Credentials } from './git/access.ts';
export { GitFailure } from './git/git-failure.ts';
export { remoteOf } from './git/remote.ts';
export type { RepositoryOptions } from './kept-repository.ts';
export { mirrorsFolder, type RegistryOptions, type RunningRegistry, startRegistry } from './start.ts';
