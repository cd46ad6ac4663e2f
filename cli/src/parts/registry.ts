import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { systemClock } from '@stopgo/log';
import type { store } from '@stopgo/proto';
import {
  type Credentials,
  GitFailure,
  mirrorsFolder,
  type RunningRegistry,
  remoteOf,
  startRegistry,
} from '@stopgo/registry';
import { type Client, Secret } from '@stopgo/rpc';
import type { AgentConfig, Logger } from '@stopgo/runtime';
import type { PartOptions } from './part.ts';

type Repository = AgentConfig['agentRepositories'][number];

/** Whether agents are taken from repositories; else there is no registry. */
export const hasRegistry = ({ takesAgentsFromGit }: Pick<AgentConfig, 'takesAgentsFromGit'>): boolean =>
  takesAgentsFromGit;

/** Variables of the environment that hold the tokens of repositories, and the secrets of their webhooks. */
export function registryVariables({ agentRepositories }: Pick<AgentConfig, 'agentRepositories'>): readonly string[] {
  return agentRepositories.flatMap(({ auth, webhookVariable }) => [
    ...(auth.type === 'token' ? [auth.variable] : []),
    ...(webhookVariable === undefined ? [] : [webhookVariable]),
  ]);
}

/** What is wrong with a secret of a repository in this variable; undefined if nothing is. Does not repeat it. */
export function repositorySecretProblem(variable: string, value: string | undefined): string | undefined {
  return (value?.trim() ?? '') !== '' ? undefined : `${variable} is not set; set it before you start`;
}

/** Why the folder of a repository cannot be read on this machine; undefined if it can be, or is elsewhere. */
export function repositoryFolderProblem(
  gitUrl: string,
  { agentFolders }: Pick<AgentConfig, 'agentFolders'>,
): string | undefined {
  try {
    remoteOf(gitUrl, foldersOf(agentFolders));
    return undefined;
  } catch (error) {
    if (error instanceof GitFailure) return error.message;
    throw error;
  }
}

/** Says at the start of which repositories no webhooks are taken though a secret is named. */
export function sayWhoseWebhooksAreRefused(
  { agentRepositories }: Pick<AgentConfig, 'agentRepositories'>,
  env: PartOptions['env'],
  log: Pick<Logger, 'warn'>,
): void {
  for (const { name, webhookVariable = '' } of agentRepositories)
    if (webhookVariable !== '' && secretOf(env[webhookVariable]).webhookSecret === undefined)
      log.warn(
        `agent repository ${name} takes no webhooks: ${webhookVariable} is not set, which webhook_secret names; set it and restart`,
      );
}

const foldersOf = (folders: readonly string[]): string[] => folders.map((folder) => resolve(folder));

/** The registry of the configured repositories. A secret that is missing is said at each sync, and ends nothing. */
export function startRegistryPart(
  { config, env, logger, stopping }: PartOptions,
  instance: string,
  client: Client<typeof store.StoreService>,
  sealingKey: Secret | undefined,
): Promise<RunningRegistry> {
  sayWhoseWebhooksAreRefused(config, env, logger);
  return startRegistry({
    ...{ instance, store: client, clock: systemClock, newId: randomUUID, random: Math.random },
    dataDir: config.dataDir,
    repositories: config.agentRepositories.map(({ auth, webhookVariable = '', ...repository }) => ({
      ...repository,
      ...{ authType: auth.type, isConfigured: true },
      ...secretOf(env[webhookVariable]),
      credentials: () => credentialsOf(auth, config.dataDir, env),
    })),
    ...(sealingKey === undefined ? {} : { sealingKey }),
    folders: foldersOf(config.agentFolders),
    allowPrivate: config.addedRepositories.allowPrivate,
    ...{ model: config.llm.model, turnsMax: config.maxTurns, reservedName: config.name, env, log: logger },
    ...(stopping === undefined ? {} : { stopping }),
  });
}

function secretOf(value = ''): { readonly webhookSecret?: Secret } {
  return value.trim() === '' ? {} : { webhookSecret: new Secret(value.trim()) };
}

function credentialsOf(auth: Repository['auth'], dataDir: string, env: PartOptions['env']): Credentials {
  switch (auth.type) {
    case 'none':
      return { type: 'none' };
    case 'token': {
      const token = env[auth.variable]?.trim() ?? '';
      if (token === '') throw new GitFailure('denied', `${auth.variable} is not set; it must hold the access token`);
      return { type: 'token', token };
    }
    case 'ssh-key': {
      const { keyPath, knownHostsPath } = auth;
      return {
        type: 'ssh_key',
        keyPath: resolve(keyPath),
        knownHostsPath: resolve(knownHostsPath ?? join(mirrorsFolder(dataDir), 'known_hosts')),
        trustsNewHosts: knownHostsPath === undefined,
      };
    }
  }
}
