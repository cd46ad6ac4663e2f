import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The agent that is talked to, and the one that it calls. What a message says is told to the first node. */
export const front = 'first';
export const keeper = 'keeper';
export const agentCount = 2;

const file = (more: string) =>
  `---\ndescription: Looks after resources\ncompletion: optional\n${more}\n---\nDo what you are told.\n`;

/** Makes a git repository of both; gives its folder. */
export function agentsRepository(folder: string): string {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args], {
      cwd: folder,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  mkdirSync(folder, { recursive: true });
  for (const [name, more] of [
    [front, `allowedAgents: [${keeper}]`],
    [keeper, 'mcpServers: [ledger]'],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'prompt.md'), file(more));
  }
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Agents');
  return folder;
}
