import { defaultUrl } from '../platform-url.ts';
import { defaultConfigPath } from '../start/start-config.ts';
import type { Command } from './command.ts';
import { gatewayUrl } from './parse.ts';

/** What makes a configuration. */
export const agentCommands: Readonly<Record<string, Command>> = {
  init: {
    summary: 'Write an agent.yaml to begin with',
    takes: '[DIR]',
    arguments: [0, 1],
    options: {},
    about: ['In DIR, which is made if it is not there, else in this folder. A file that is there is never changed.'],
    examples: [['stopgo init my-agent', '']],
    run: async ({ args: [folder = '.'], print }) => {
      const { init } = await import('../agent/init.ts');
      init(folder, print);
    },
  },
  check: {
    summary: 'All problems of a configuration at once; ends with code 1 if there are any',
    takes: '[FILE]',
    arguments: [0, 1],
    options: {},
    about: [
      `FILE is ${defaultConfigPath} if it is not named. Nothing is started, and nobody is asked: whether tool servers come up and`,
      'keys are accepted, a start tells. Lines that begin with "note:" leave the code at 0: they tell what is odd but allowed, and what',
      'this machine lacks, such as a key that is not set or a program that is not there.',
    ],
    examples: [['stopgo check my-agent/agent.yaml', '']],
    run: async ({ args: [file = defaultConfigPath], host, print }) => {
      const { check } = await import('../agent/check.ts');
      if (!check(file, host.env, print)) host.exitCode = 1;
    },
  },
  agents: {
    summary: 'Agents in markdown files: check them, list them, show one and what became of it',
    takes: 'check PATH..., list or watch [FOLDER], show or history NAME [COMMIT], diff NAME [COMMIT [COMMIT]]',
    arguments: [1, Number.POSITIVE_INFINITY],
    options: {
      in: 'the folder that names begin at (default: that of the repository, or with list and show this folder)',
      json: 'one JSON object for each line; with show: the agent as it is recorded',
      url: 'the platform whose agents are meant (default with history, diff and watch: http://127.0.0.1:8080)',
      port: 'short for --url http://127.0.0.1:PORT',
      limit: 'with history: how many commits (default: 10)',
    },
    about: [
      'check: one line for each finding, path:line:column: what is wrong; ends with code 1 unless all agents can be used. It needs',
      'neither git nor the platform, so that a hook or a build can run it. docs/agents.md says what such a file holds.',
      'list and show read files of a folder; with --url or --port they ask a platform, as history and diff always do. There a',
      'COMMIT is a whole commit id, a branch or a tag of the repository; diff without one shows what the latest commit changed.',
      'watch has the platform take up each edit in a folder that is one of its repositories with worktree: true, until Ctrl-C.',
    ],
    examples: [
      ['stopgo agents check .', 'all agents below this folder'],
      ['stopgo agents check support/tier1/prompt.md', ''],
      ['stopgo agents list my-agents', ''],
      ['stopgo agents show support/tier1 --in my-agents', ''],
      ['stopgo agents list --port 8080', 'all agents of a platform'],
      ['stopgo agents diff support/tier1 v1.2', 'what has changed since a tag'],
    ],
    run: async ({ flags, args: [action = '', ...args], host, print }) => {
      const { in: folder, json = false, limit } = flags;
      const { agentsCommand } = await import('../agents/command.ts');
      const isPlatform = flags.url !== undefined || flags.port !== undefined;
      const asked = { folder, url: isPlatform ? gatewayUrl(flags) : undefined, defaultUrl, limit, json };
      if (!(await agentsCommand(action, args, asked, host, print))) host.exitCode = 1;
    },
  },
};
