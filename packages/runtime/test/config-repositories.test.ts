import { expect, test } from 'vitest';
import { parseAgentConfig } from '../src/index.ts';

const parsed = (entry: string) => parseAgentConfig(`agent_repositories:\n  - { ${entry} }\n`, 'agent.yaml').config;
const base = 'name: main, git_url: "https://example.org/agents.git"';

test('an entry is filled with defaults', () => {
  expect(parsed(base).agentRepositories).toEqual([
    {
      name: 'main',
      gitUrl: 'https://example.org/agents.git',
      branch: 'main',
      isRoot: false,
      isActive: true,
      isWorkTree: false,
      syncIntervalMs: 300_000,
      auth: { type: 'none' },
    },
  ]);
});

test('secrets are named by their variables, keys by their paths', () => {
  expect(parsed(`${base}, auth_type: token, auth_token: env(GIT_TOKEN)`).agentRepositories[0]?.auth).toEqual({
    type: 'token',
    variable: 'GIT_TOKEN',
  });
  expect(
    parsed('name: a_b-1, git_url: "git@host:agents.git", auth_type: ssh-key, ssh_key_path: /k, known_hosts_path: /h')
      .agentRepositories[0]?.auth,
  ).toEqual({ type: 'ssh-key', keyPath: '/k', knownHostsPath: '/h' });
});

test('the secret of webhooks is named by its variable, and told of with its place', () => {
  const text = `agent_repositories:\n  - { ${base}, webhook_secret: env(HOOK_SECRET) }\n`;
  const { config, named } = parseAgentConfig(text, 'agent.yaml');
  expect(config.agentRepositories[0]).toMatchObject({ webhookVariable: 'HOOK_SECRET' });
  expect(named.secrets).toEqual([
    { of: 'repository', variable: 'HOOK_SECRET', place: ['agent_repositories', 0, 'webhook_secret'] },
  ]);
  expect(() => parsed(`${base}, webhook_secret: thesecretitself`)).toThrow('expected env(NAME)');
});

test.each([
  ['name: 1st, git_url: "https://h/a"', 'expected a letter'],
  ['name: a/b, git_url: "https://h/a"', 'expected a letter'],
  ['name: main', 'git_url is required'],
  ['name: main, git_url: "--upload-pack=evil"', 'begins with a dash'],
  ['name: main, git_url: "ext::evil"', 'names a helper program'],
  ['name: main, git_url: "git://host/agents"', 'has the protocol git; use https or ssh'],
  ['name: main, git_url: "http://git.example.org/agents"', 'is http, which anybody on the way can read'],
  ['name: main, git_url: agents', 'is none of https'],
  [
    'name: main, git_url: "git@host:agents", auth_type: token, auth_token: env(T)',
    'token goes with an https address only',
  ],
  [`${base}, auth_type: ssh-key, ssh_key_path: /k`, 'ssh-key goes with an address of ssh only'],
  [`${base}, worktree: true`, 'goes with a folder of this machine only'],
  ['name: main, git_url: "https://user:secret@h/a"', 'holds credentials, and addresses are logged'],
  [`${base}, auth_type: token`, 'token needs auth_token'],
  [`${base}, auth_type: ssh-key`, 'ssh-key needs ssh_key_path'],
  [`${base}, auth_token: env(GIT_TOKEN)`, 'is for auth_type: token'],
  [`${base}, auth_type: token, auth_token: ghp_thesecretitself`, 'expected env(NAME)'],
  [`${base}, sync_interval: 1ms`, 'must be from 1s to 24h'],
  [`${base} }\n  - { ${base}`, 'duplicate name "main"'],
])('%s is refused', (entry, why) => {
  const refused = () => parsed(entry);
  expect(refused).toThrow(why);
  expect(refused).not.toThrow(/secret@|thesecretitself/u);
});

test('read_only: false is told to have no effect, at its place; true is what holds anyway', () => {
  const warningsOf = (more: string) => {
    const text = `agent_repositories:\n  - { ${base}${more} }\n`;
    return parseAgentConfig(text, 'agent.yaml').locatedWarnings;
  };
  expect(warningsOf(', read_only: false')).toEqual([
    expect.stringMatching(/^agent\.yaml:2:\d+: agent_repositories\[0\]\.read_only: false has no effect: /u),
  ]);
  expect([...warningsOf(', read_only: true'), ...warningsOf('')]).toEqual([]);
});
