import type { GraphFlags } from '../graph/command.ts';
import type { LogSource } from '../inspect/open-store.ts';
import { defaultConfigPath } from '../start/start-config.ts';
import type { Command } from './command.ts';
import type { Flags } from './options.ts';
import { pick } from './parse.ts';

const directory = {
  config: `the log in the data_dir of this configuration (default: ${defaultConfigPath})`,
  'data-dir': 'the log in this directory: of a platform that runs or not, or a copy',
};
const sources = { ...directory, store: 'a running store of separate services, HOST:PORT' };
const about = ['It only reads, also while the platform runs, and shows one moment.'];

const sourceOf = (flags: Flags): LogSource => ({
  config: flags.config ?? defaultConfigPath,
  ...(flags.store === undefined ? {} : { store: flags.store }),
  ...(flags['data-dir'] === undefined ? {} : { dataDir: flags['data-dir'] }),
});

/** What each command does, once it is run. */
const work = () => import('../inspect/work.ts');

/** What reads the record, and makes the first user on it. */
export const logCommands: Readonly<Record<string, Command>> = {
  events: {
    summary: 'The events of a conversation; without an ID, what there is',
    takes: '[ID]',
    arguments: [0, 1],
    options: { ...sources, json: 'one JSON object for each line' },
    about,
    examples: [
      ['stopgo events', 'the names of all streams'],
      ['stopgo events ID --json', ''],
    ],
    run: async ({ flags, args: [id], host, print }) => {
      const { printEvents, printStreams, withStore } = await work();
      await withStore(sourceOf(flags), host, (opened) =>
        id === undefined
          ? printStreams(opened, flags.json === true, print)
          : printEvents(opened, id, flags.json === true, print),
      );
    },
  },
  replay: {
    summary: 'A conversation as it stood at a revision',
    takes: 'ID',
    arguments: [1, 1],
    options: { ...sources, at: 'the revision, from 1 (default: the latest)' },
    about,
    examples: [['stopgo replay ID --at 5', '']],
    run: async ({ flags, args: [id = ''], host, print }) => {
      const { printReplay, withStore } = await work();
      await withStore(sourceOf(flags), host, (opened) => printReplay(opened, id, revisionOf(flags.at), print));
    },
  },
  policy: {
    summary: 'Which rule decides a call, or has decided an approval, and why',
    takes: 'test FILE --call JSON, or explain APPROVAL',
    arguments: [2, 2],
    options: { ...sources, call: 'the call that rules are tried on' },
    about: [
      'test: FILE is an agent.yaml with approvals, or a file of rules. The call has server, tool, args, annotations and, if rules',
      'ask for them, agent (or agents), commit, node, caller and run. Annotations are those of the tool, such as',
      '{"readOnlyHint": true}: where they matter and are not given, it says what becomes of each kind of tool. explain: from the',
      'record alone.',
    ],
    examples: [
      [`stopgo policy test agent.yaml --call '{"server":"bank","tool":"transfer","args":{"amount":5}}'`, ''],
      ['stopgo policy explain APPROVAL', ''],
    ],
    run: async ({ flags, args: [action, what = ''], host, print }) => {
      const { explainApproval, testCall, withStore } = await work();
      if (action === 'test') {
        if (flags.call === undefined) throw new Error('stopgo policy test needs --call');
        return testCall(what, flags.call, print);
      }
      if (action !== 'explain') throw new Error('stopgo policy takes test or explain');
      await withStore(sourceOf(flags), host, (opened) => explainApproval(opened, what, print));
    },
  },
  users: {
    summary: 'Make a user on the record itself, the first one for example',
    takes: 'create',
    arguments: [1, 1],
    options: {
      ...sources,
      email: 'whom tokens name; two users never have the same',
      name: 'shown to people (default: the address)',
      role: 'user (default), admin or super_admin',
    },
    about: [
      'In a data directory that no process uses, or through a running store. Who can do that operates the platform.',
    ],
    examples: [['stopgo users create --email ana@example.com --name Ana --role super_admin', '']],
    run: async ({ flags, args: [action], host, print }) => {
      if (action !== 'create')
        throw new Error('stopgo users takes create; users that are there are shown by GET /users');
      const { email, name = email, role } = flags;
      if (email === undefined || name === undefined) throw new Error('stopgo users create needs --email');
      const { createUserOnRecord } = await work();
      await createUserOnRecord(sourceOf(flags), { email, name, role }, host, print);
    },
  },
  verify: {
    summary: 'Whether hash chains hold and every view equals its events; ends with code 1 if not',
    takes: '[ID]',
    arguments: [0, 1],
    options: {
      ...sources,
      heads: 'print the hash, revision and name of each stream, to be kept elsewhere',
      against: 'compare with what --heads printed before: nothing up to there may be cut off or written anew',
    },
    about,
    examples: [
      ['stopgo verify', ''],
      ['stopgo verify --data-dir backups/monday', 'a backup'],
      ['stopgo verify --heads > heads.txt', 'keep it where nobody who can write the log can write'],
      ['stopgo verify --against heads.txt', 'that the log goes on from there'],
    ],
    run: async ({ flags: { heads = false, against: file, ...flags }, args: [id], host, print }) => {
      const { readHeads, verify, withStore } = await work();
      const options = { heads, ...(file === undefined ? {} : { against: readHeads(file) }) };
      await withStore(sourceOf(flags), host, async (opened) => {
        if (!(await verify(opened, id, print, options))) host.exitCode = 1;
      });
    },
  },
  export: {
    summary: 'Everything about a conversation as one JSON document',
    takes: 'ID',
    arguments: [1, 1],
    options: sources,
    about,
    examples: [['stopgo export ID > conversation.json', '']],
    run: async ({ flags, args: [id = ''], host, print }) => {
      const { exportConversation, withStore } = await work();
      const lacks = (line: string): void => {
        host.stderr.write(`stopgo: ${line}\n`);
        host.exitCode = 1;
      };
      await withStore(sourceOf(flags), host, async (opened) => print(await exportConversation(opened, id, lacks)));
    },
  },
  graph: {
    summary: 'The agent tree of --config FILE; with an ID, the latest run over it',
    takes: '[ID]',
    arguments: [0, 1],
    options: {
      ...sources,
      run: 'another run than the latest',
      format: 'text (the default), or mermaid for a flowchart',
    },
    about,
    examples: [
      ['stopgo graph --config my-agent.yaml', ''],
      ['stopgo graph ID --format mermaid', ''],
    ],
    run: async ({ flags, args: [id], host, print }) =>
      (await work()).graph(id, graphFlags(flags), sourceOf(flags), host, print),
  },
  backup: {
    summary: 'A verified copy of the log in a new directory',
    takes: 'DIR',
    arguments: [1, 1],
    options: directory,
    about: [
      'Of one moment, also while the platform runs. It is verified before it has its name, and never overwrites anything. To',
      'restore it, put it in the place of data_dir while nothing runs: docs/operations.md says what to think of then.',
    ],
    examples: [
      ['stopgo backup backups/monday', ''],
      ['stopgo verify --data-dir backups/monday', 'verify it again, years later'],
    ],
    run: async ({ flags, args: [target = ''], host, print }) => {
      const { backUp, dataDirOf } = await work();
      await backUp(flags['data-dir'] ?? dataDirOf(flags.config ?? defaultConfigPath), target, host, print);
    },
  },
};

const graphFlags = (flags: Flags): GraphFlags => ({
  ...pick(flags, 'run', 'config', 'store', 'data-dir', 'format'),
});

function revisionOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--at takes a revision, a whole number from 1, not "${text}"`);
  return Number(text);
}
