import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, type DefinitionPorts, storeLog } from '@stopgo/log';
import type { store, registry as wire } from '@stopgo/proto';
import type { Client, Secret, ServiceImpl } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import { Sealer } from '@stopgo/security';
import { Mirror } from './git/mirror.ts';
import { GitProgram } from './git/program.ts';
import { isProxied, publicRemote, systemLookUp } from './git/public-remote.ts';
import type { Remote } from './git/remote.ts';
import { removeUnusedMirrors } from './git/unused-mirrors.ts';
import { KeptRepository, type RepositoryOptions } from './kept-repository.ts';
import { KeyFiles } from './list/key-files.ts';
import { Repositories } from './list/repositories.ts';
import { registryService } from './service.ts';

/** What a registry is started with. */
export type RegistryOptions = {
  /** Id of this process. */
  readonly instance: string;
  readonly store: Client<typeof store.StoreService>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
  /** Mirrors are kept in `repositories` below it. Only this process may use that folder. */
  readonly dataDir: string;
  /** Those of the configuration. */
  readonly repositories: readonly RepositoryOptions[];
  /** Seals the secrets of those that people add, 64 hexadecimal digits; absent: they can have none. */
  readonly sealingKey?: Secret;
  /** Repositories of this machine are taken from these folders and below, and from nowhere else. */
  readonly folders: readonly string[];
  /** Repositories that people add may be on this machine and in private networks, not only in the public one. */
  readonly allowPrivate: boolean;
  /** The model of agents that name none, and how often they may ask it. */
  readonly model: string;
  readonly turnsMax: number;
  /** The name of the configured agent: an agent of a repository that has it is an error. */
  readonly reservedName?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Aborts when the process is asked to end before all is started. */
  readonly stopping?: AbortSignal;
};

export type RunningRegistry = {
  readonly service: ServiceImpl<typeof wire.RegistryService>;
  readonly stop: () => Promise<void>;
};

/** The folder of all mirrors. */
export const mirrorsFolder = (dataDir: string): string => join(resolve(dataDir), 'repositories');

/** Reads what is on the record of each repository, and begins to keep up. Repositories are fetched in the background. */
export async function startRegistry(options: RegistryOptions): Promise<RunningRegistry> {
  const { instance, store, clock, newId, random, model, turnsMax, folders, allowPrivate, log } = options;
  const definitions: DefinitionPorts = { instance, log: storeLog(store), clock, newId, random };
  const git = new GitProgram('git', options.env);
  const folder = mirrorsFolder(options.dataDir);
  const mirrorOf = (repository: RepositoryOptions) => join(folder, mirrorName(repository));
  const proxied = isProxied(options.env);
  const reach = (remote: Remote) => (allowPrivate ? remote : publicRemote(remote, systemLookUp, proxied));
  const key = options.sealingKey;
  const repositories = new Repositories(options.repositories, {
    ...{ definitions, folders, allowPrivate, log },
    secrets: {
      ...(key === undefined ? {} : { sealer: new Sealer(Buffer.from(key.reveal(), 'hex'), randomBytes) }),
      keyFiles: new KeyFiles(join(folder, 'keys')),
      knownHostsPath: join(folder, 'known_hosts'),
    },
    keep: (repository) =>
      new KeptRepository(repository, {
        ...{ definitions, folders, reach, model, turnsMax, log },
        ...(options.reservedName === undefined ? {} : { reservedName: options.reservedName }),
        mirror: new Mirror(git, mirrorOf(repository)),
      }),
    removeOtherMirrors: async (kept) => {
      const gone = await removeUnusedMirrors(folder, new Set(kept.map(mirrorName)));
      if (gone.length > 0)
        log.info(`mirrors of repositories that agents are not taken from any more are removed: ${gone.length}`);
    },
    removeMirror: (repository) => rm(mirrorOf(repository), { recursive: true, force: true }),
  });
  const stop = () => repositories.stop();
  try {
    await repositories.start(options.stopping ?? new AbortController().signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { service: registryService({ repositories, definitions, model, turnsMax }), stop };
}

/**
 * Folder of a mirror. With another address it is another repository, of which no commit is found in this one. Two names that differ in case only are
 * two folders, also where the file system does not tell them apart.
 */
export const mirrorName = ({ name, gitUrl }: Pick<RepositoryOptions, 'name' | 'gitUrl'>): string =>
  `${name}-${createHash('sha256').update(`${name} ${gitUrl}`).digest('hex').slice(0, 12)}.git`;
