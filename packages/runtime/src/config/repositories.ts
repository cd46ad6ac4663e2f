import { gitAddress } from '@stopgo/security';
import type { z } from 'zod';
import { bounds } from './defaults.ts';
import { type Entry, isMapping } from './plain-data.ts';
import { type Problem, problemAt } from './problem.ts';
import { variableOf, variableReference } from './references.ts';
import { choice, duration, filledText, flag, mapping, text } from './shapes.ts';
import type { AgentRepositoryConfig } from './types.ts';

/*
 * Repositories that agents are taken from: their keys, what several keys must fulfil together, and what they mean.
 */

const namePattern = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

/** The name of a repository, which may stand before the names of its agents. */
function repositoryName() {
  return text()
    .refine(
      (value) => namePattern.test(value) && value.length <= bounds.repositoryNameCharactersMax,
      `expected a letter, and then letters, digits, _ or -, at most ${bounds.repositoryNameCharactersMax} in all`,
    )
    .meta({ pattern: namePattern.source, maxLength: bounds.repositoryNameCharactersMax });
}

/** Where a repository is. Whether a folder may be used is checked by the registry. */
function gitUrl() {
  return filledText().superRefine((value, context) => {
    const address = gitAddress(value);
    if (address.kind === 'refused') context.addIssue({ code: 'custom', message: address.why });
  });
}

/** One entry of `agent_repositories`. */
export const agentRepositorySchema = mapping({
  name: repositoryName(),
  git_url: gitUrl(),
  branch: filledText().default('main'),
  is_root: flag().default(false),
  sync_interval: duration(bounds.syncIntervalMsMin, bounds.syncIntervalMsMax).prefault('5m'),
  auth_type: choice(['none', 'token', 'ssh-key']).default('none'),
  auth_token: variableReference().optional(),
  ssh_key_path: filledText().optional(),
  known_hosts_path: filledText().optional(),
  webhook_secret: variableReference().optional(),
  worktree: flag().default(false),
  is_active: flag().default(true),
  read_only: flag().default(true),
});

const keysOfTypes: Readonly<Record<string, string>> = {
  auth_token: 'token',
  ssh_key_path: 'ssh-key',
  known_hosts_path: 'ssh-key',
};

/** What is wrong with keys that go together. */
export function repositoryProblems(repositories: readonly Entry[]): Problem[] {
  return repositories.flatMap(({ value, index }) => {
    if (!isMapping(value)) return [];
    const type = value.auth_type ?? 'none';
    const at = (key: string) => ['agent_repositories', index, key];
    const problems = Object.entries(keysOfTypes)
      .filter(([key, of]) => value[key] !== undefined && of !== type)
      .map(([key, of]) => problemAt(at(key), `is for auth_type: ${of}`));
    const needed = type === 'token' ? 'auth_token' : type === 'ssh-key' ? 'ssh_key_path' : undefined;
    if (needed !== undefined && value[needed] === undefined)
      problems.push(problemAt(at('auth_type'), `${type} needs ${needed}`));
    const address = gitAddress(typeof value.git_url === 'string' ? value.git_url : '');
    if (address.kind === 'refused') return problems;
    const protocol = address.kind === 'folder' ? 'file' : address.protocol;
    if (type === 'token' && protocol !== 'https' && protocol !== 'http')
      problems.push(problemAt(at('auth_type'), 'token goes with an https address only'));
    if (type === 'ssh-key' && protocol !== 'ssh')
      problems.push(problemAt(at('auth_type'), 'ssh-key goes with an address of ssh only'));
    if (value.worktree === true && protocol !== 'file')
      problems.push(problemAt(at('worktree'), 'goes with a folder of this machine only'));
    return problems;
  });
}

/** What has no effect. */
export const repositoryWarnings = (repositories: readonly z.output<typeof agentRepositorySchema>[]): Problem[] =>
  repositories.flatMap(({ read_only: isReadOnly }, index) =>
    isReadOnly
      ? []
      : [
          problemAt(
            ['agent_repositories', index, 'read_only'],
            'false has no effect: the platform never writes to a repository, and its key or token need not be able to; remove it',
          ),
        ],
  );

/** A repository as the rest of the code works with it. */
export function agentRepository(shape: z.output<typeof agentRepositorySchema>): AgentRepositoryConfig {
  const { name, git_url: url, branch, is_root: isRoot, is_active: isActive, sync_interval: syncIntervalMs } = shape;
  const { webhook_secret: secret } = shape;
  return {
    ...{ name, gitUrl: url, branch, isRoot, isActive, isWorkTree: shape.worktree, syncIntervalMs, auth: authOf(shape) },
    ...(secret === undefined ? {} : { webhookVariable: variableOf(secret) }),
  };
}

function authOf(shape: z.output<typeof agentRepositorySchema>): AgentRepositoryConfig['auth'] {
  const { auth_type: type, auth_token: token = '', ssh_key_path: keyPath = '', known_hosts_path: known } = shape;
  switch (type) {
    case 'none':
      return { type };
    case 'token':
      return { type, variable: variableOf(token) };
    case 'ssh-key':
      return { type, keyPath, ...(known === undefined ? {} : { knownHostsPath: known }) };
  }
}
