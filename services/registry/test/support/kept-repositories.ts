import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '@stopgo/log';
import { Sealer } from '@stopgo/security';
import { onTestFinished } from 'vitest';
import { Mirror } from '../../src/git/mirror.ts';
import { GitProgram } from '../../src/git/program.ts';
import { publicRemote } from '../../src/git/public-remote.ts';
import type { Remote } from '../../src/git/remote.ts';
import { removeUnusedMirrors } from '../../src/git/unused-mirrors.ts';
import { KeptRepository } from '../../src/kept-repository.ts';
import { KeyFiles } from '../../src/list/key-files.ts';
import { Repositories } from '../../src/list/repositories.ts';
import { findAgent } from '../../src/lookup.ts';
import { temporaryFolder } from './folder.ts';
import type { MemoryLog } from './memory-log.ts';

export const sealingKey = randomBytes(32);

/** The repositories of a registry over a log, those of the machine taken from one folder. They are stopped after the test. */
export async function keptRepositories(
  log: MemoryLog,
  from: string,
  given: {
    /** Names of repositories of the configuration, all in that folder. */
    readonly configured?: readonly string[];
    readonly sealingKey?: Uint8Array | null;
    /** Where its mirrors are; absent: a folder of its own. */
    readonly folder?: string;
    /** The program to be run as git. */
    readonly git?: string;
    readonly clock?: Clock;
    /** Name of a repository that cannot be kept. */
    readonly broken?: string;
    /** Whether repositories that are added may be anywhere; else in the public network, and these are the addresses of its names. */
    readonly names?: Readonly<Record<string, readonly string[]>>;
    /** Whether those of the configuration are taken as they lie there. */
    readonly isWorkTree?: boolean;
  } = {},
) {
  const folder = given.folder ?? temporaryFolder();
  const quiet = { info: () => undefined, warn: () => undefined };
  const key = given.sealingKey === undefined ? sealingKey : given.sealingKey;
  const definitions = { ...log.ports('registry-1'), ...(given.clock === undefined ? {} : { clock: given.clock }) };
  const { names } = given;
  const lookUp = async (name: string) => names?.[name] ?? [];
  const reach = (remote: Remote) => (names === undefined ? remote : publicRemote(remote, lookUp, false));
  const git = new GitProgram(given.git ?? 'git', process.env);
  const repositories = new Repositories(
    (given.configured ?? []).map((name) => ({
      ...{ name, gitUrl: from, branch: 'main', isRoot: true, isActive: true, syncIntervalMs: 3_600_000 },
      ...{
        authType: 'none',
        isConfigured: true,
        isWorkTree: given.isWorkTree ?? false,
        credentials: () => ({ type: 'none' }),
      },
    })),
    {
      ...{ definitions, folders: [from], allowPrivate: names === undefined, log: quiet },
      secrets: {
        ...(key === null ? {} : { sealer: new Sealer(key, randomBytes) }),
        keyFiles: new KeyFiles(join(folder, 'keys')),
        knownHostsPath: join(folder, 'known_hosts'),
      },
      keep: (options) => {
        if (options.name === given.broken) throw new Error('it cannot be kept');
        return new KeptRepository(options, {
          ...{ definitions, folders: [from], reach, model: 'offline', turnsMax: 10, log: quiet },
          mirror: new Mirror(git, join(folder, `${options.name}.git`)),
        });
      },
      removeMirror: async () => undefined,
      removeOtherMirrors: async (kept) =>
        void (await removeUnusedMirrors(folder, new Set(kept.map(({ name }) => `${name}.git`)))),
    },
  );
  await repositories.start(new AbortController().signal);
  onTestFinished(() => repositories.stop());
  const find = (name: string) => findAgent(repositories.all(), name)?.agent.description;
  return { repositories, find, folder };
}
