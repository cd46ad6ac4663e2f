import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A repository of agents that a test makes and changes. */
export type AgentsInGit = {
  readonly folder: string;
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  /** Commits all that was written; gives the commit. */
  commit(message: string): string;
};

/** Makes an empty repository at a folder, with the branch `main`. Nothing of the machine's own configuration of git counts. */
export function agentsInGit(folder: string): AgentsInGit {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    }).trim();
  mkdirSync(folder, { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    git,
    write(path, text) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    commit(message) {
      git('add', '--all');
      git('commit', '--quiet', '--message', message);
      return git('rev-parse', 'HEAD');
    },
  };
}
