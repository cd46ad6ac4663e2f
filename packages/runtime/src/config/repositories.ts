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

/** Where a repository is. What git may reach is checked by the registry; here is what must not stand in a file. */
function gitUrl() {
  return filledText().superRefine((value, context) => {
    const say = (message: string) => context.addIssue({ code: 'custom', message });
    if (value.startsWith('-')) say('must not begin with a dash, which git would read as an option');
    else if (/^[a-z0-9+.-]+::/i.test(value)) say('names a helper program, which is never run; use https or ssh');
    else if (URL.canParse(value) && isWithCredentials(new URL(value)))
      say('must not hold credentials: addresses are logged; give them by auth_type and auth_token');
  });
}

const isWithCredentials = ({ protocol, username, password }: URL): boolean =>
  password !== '' || (username !== '' && protocol !== 'ssh:');

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
    const misplaced = Object.entries(keysOfTypes)
      .filter(([key, of]) => value[key] !== undefined && of !== type)
      .map(([key, of]) => problemAt(at(key), `is for auth_type: ${of}`));
    const needed = type === 'token' ? 'auth_token' : type === 'ssh-key' ? 'ssh_key_path' : undefined;
    const isMissing = needed !== undefined && value[needed] === undefined;
    return isMissing ? [...misplaced, problemAt(at('auth_type'), `${type} needs ${needed}`)] : misplaced;
  });
}

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
