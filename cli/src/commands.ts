import { parseArgs } from 'node:util';
import type { Picture } from '@stopgo/core';
import { ConfigError, messageOf } from '@stopgo/runtime';
import { decide, printApprovals } from './decide/approvals.ts';
import { confirmOn } from './decide/confirm.ts';
import { answerInput, printInputs } from './decide/inputs.ts';
import { toolsCommand } from './decide/tools.ts';
import { pictureFromLog, pictureOfFile, renderOf } from './graph/command.ts';
import { printEvents, printStreams } from './inspect/events.ts';
import { exportConversation } from './inspect/export.ts';
import { explainStoreError, type OpenedStore, openStore } from './inspect/open-store.ts';
import { printReplay } from './inspect/replay.ts';
import { verify } from './inspect/verify.ts';
import { defaultConfigPath } from './start/default-config.ts';

/** Version of the platform, as it names itself to tool servers. */
const version = '0.1.0';

const usage = `usage: stopgo <command> [options]

  start [--config FILE] [--demo]     everything in one process, on the embedded log (default: config/agent.yaml)
  services [--config FILE] [--demo]  the same as separate processes over gRPC and NATS JetStream
      [--replicas NAME=COUNT,...]    how many of which (default: one of each)
  service NAME [--config FILE]       one of them: store, mcp-bridge, orchestrator, approvals or gateway

  events [ID] [--json]               the events of a conversation; without an ID, what there is
  replay ID [--at REVISION]          a conversation as it stood at a revision
  verify [ID]                        hash chains, and that every view equals its events
  export ID                          everything about a conversation as JSON
  graph [ID] [--run RUN]             the agent tree of --config FILE; with an ID, the latest run (or RUN) over it
      [--format text|mermaid]
      read from: --data-dir DIR | --config FILE (its data_dir; no process may use it) | --store ADDRESS

  approvals                          what waits for a human
  approve UUID [--by NAME] [--full]  --full shows all arguments first; needed where the description is cut
      [--action run_again|happened|give_up] [--result TEXT]
  reject UUID [--by NAME]            --give-up: of a call in doubt, which may have happened
      [--give-up]
  tools                              tools that are held because nobody has accepted them as they are
  tools diff [SERVER [TOOL]]         what is new in them
  tools accept SERVER [TOOL]         shows them, and accepts them with --pin PIN or after a yes
      [--pin PIN] [--by NAME]
  inputs ID                          what tool servers ask people in a conversation
  answer ID --input UUID [--action decline|cancel] [--content JSON] [--by NAME]
      through the gateway: --url URL (default: http://127.0.0.1:8080)

  health [ADDRESS|URL]               whether a service is ready (default: the one at STOPGO_LISTEN)
`;

const options = {
  config: { type: 'string' },
  demo: { type: 'boolean', default: false },
  replicas: { type: 'string' },
  json: { type: 'boolean', default: false },
  run: { type: 'string' },
  format: { type: 'string' },
  at: { type: 'string' },
  'data-dir': { type: 'string' },
  store: { type: 'string' },
  url: { type: 'string', default: 'http://127.0.0.1:8080' },
  by: { type: 'string' },
  action: { type: 'string' },
  result: { type: 'string' },
  full: { type: 'boolean', default: false },
  'give-up': { type: 'boolean', default: false },
  pin: { type: 'string' },
  input: { type: 'string' },
  content: { type: 'string' },
} as const;

type Flags = ReturnType<typeof parse>['values'];

/** Runs the command that the arguments name. Rejects with one clear line if it cannot. */
export async function runCommand(args: readonly string[], host: NodeJS.Process): Promise<void> {
  const [command, ...rest] = args;
  if (command === undefined || command === 'help' || command === '--help') return void host.stdout.write(usage);
  const run = commands[command];
  if (run !== undefined && isAskedForHelp(rest)) return void host.stdout.write(usage);
  if (run === undefined) throw new Error(`unknown command "${command}"\n\n${usage}`);
  const { values, positionals } = parse(rest, [...run.flags]);
  if (positionals.length < run.arguments[0] || positionals.length > run.arguments[1])
    throw new Error(
      `"${command}" takes ${run.arguments[1] === 0 ? 'no argument' : (run.takes ?? 'one argument')}\n\n${usage}`,
    );
  await run.run(values, positionals[0] ?? '', host, positionals);
}

/** What a command that rejected with this error writes to standard error, without the last line break. */
export function reportOf(error: unknown): string {
  return error instanceof ConfigError ? error.report() : `stopgo: ${messageOf(error)}`;
}

type FlagName = keyof typeof options;

type Runner = {
  readonly flags: readonly FlagName[];
  /** Least and most arguments. */
  readonly arguments: readonly [number, number];
  /** How an error calls the one argument. */
  readonly takes?: string;
  readonly run: (flags: Flags, argument: string, host: NodeJS.Process, all: readonly string[]) => Promise<void>;
};

const sources: readonly FlagName[] = ['config', 'data-dir', 'store'];

const commands: Readonly<Record<string, Runner>> = {
  start: {
    flags: ['config', 'demo'],
    arguments: [0, 0],
    run: async ({ config, demo = false }, _, host) => {
      // The platform takes half a second to load, which the other commands should not cost.
      const { startCommand } = await import('./start/command.ts');
      await startCommand({ demo, ...(config === undefined ? {} : { config }) }, host, version);
    },
  },
  services: {
    flags: ['config', 'demo', 'replicas'],
    arguments: [0, 0],
    run: async ({ config, demo = false, replicas }, _, host) => {
      const { servicesCommand } = await import('./services/launcher/services-command.ts');
      const given = { ...(config === undefined ? {} : { config }), ...(replicas === undefined ? {} : { replicas }) };
      await servicesCommand({ demo, ...given }, host);
    },
  },
  service: {
    flags: ['config'],
    arguments: [1, 1],
    takes: 'the name of one service',
    run: async ({ config = defaultConfigPath }, name, host) => {
      const { serviceCommand } = await import('./services/service-command.ts');
      await serviceCommand(name, config, host, version);
    },
  },
  events: {
    flags: [...sources, 'json'],
    arguments: [0, 1],
    run: (flags, id, host) =>
      withStore(flags, host, (opened) =>
        id === ''
          ? printStreams(opened, flags.json === true, printer(host))
          : printEvents(opened, id, flags.json === true, printer(host)),
      ),
  },
  replay: {
    flags: [...sources, 'at'],
    arguments: [1, 1],
    run: (flags, id, host) =>
      withStore(flags, host, (opened) => printReplay(opened, id, revisionOf(flags.at), printer(host))),
  },
  verify: {
    flags: sources,
    arguments: [0, 1],
    run: (flags, id, host) =>
      withStore(flags, host, async (opened) => {
        if (!(await verify(opened, id === '' ? undefined : id, printer(host)))) host.exitCode = 1;
      }),
  },
  export: {
    flags: sources,
    arguments: [1, 1],
    run: (flags, id, host) =>
      withStore(flags, host, async (opened) => printer(host)(await exportConversation(opened, id))),
  },
  graph: {
    flags: [...sources, 'run', 'format'],
    arguments: [0, 1],
    run: graph,
  },
  approvals: {
    flags: ['url'],
    arguments: [0, 0],
    run: ({ url = options.url.default }, _, host) => printApprovals(url, printer(host)),
  },
  approve: {
    flags: ['url', 'by', 'action', 'result', 'full'],
    arguments: [1, 1],
    run: (flags, id, host) => decideWith(flags, id, actionOf(flags.action), host),
  },
  reject: {
    flags: ['url', 'by', 'give-up'],
    arguments: [1, 1],
    run: (flags, id, host) => decideWith(flags, id, 'reject', host),
  },
  tools: {
    flags: ['url', 'by', 'pin'],
    arguments: [0, 3],
    takes: 'diff or accept, a server and a tool',
    run: ({ url = options.url.default, by, pin }, action, host, [, server, tool]) =>
      toolsCommand(url, { action, server, tool, by, pin, confirm: confirmOn(host) }, printer(host)),
  },
  inputs: {
    flags: ['url'],
    arguments: [1, 1],
    run: ({ url = options.url.default }, id, host) => printInputs(url, id, printer(host)),
  },
  answer: {
    flags: ['url', 'by', 'input', 'action', 'content'],
    arguments: [1, 1],
    run: ({ url = options.url.default, ...flags }, id, host) => answerInput(url, id, flags, printer(host)),
  },
  health: {
    flags: [],
    arguments: [0, 1],
    run: async (_, target, host) => {
      const { health } = await import('./health.ts');
      await health(target, host.env.STOPGO_LISTEN, printer(host));
    },
  },
};

/** `--help` among the options of a command. No option takes a text that looks like one. */
function isAskedForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).some((arg) => arg === '--help' || arg === '-h');
}

function parse(args: readonly string[], allowed: readonly FlagName[]) {
  const parsed = parsedArgs(args);
  for (const token of parsed.tokens)
    if (token.kind === 'option' && !allowed.includes(token.name as FlagName))
      throw new Error(`--${token.name} does not go with this command\n\n${usage}`);
  return parsed;
}

function parsedArgs(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, tokens: true });
  } catch (error) {
    // What follows the first sentence is about positional arguments, which none of the commands takes in that form.
    const [problem = ''] = messageOf(error).split('. ');
    throw new Error(`${problem}\n\n${usage}`);
  }
}

async function withStore(
  flags: Flags,
  host: NodeJS.Process,
  work: (opened: OpenedStore) => Promise<void>,
): Promise<void> {
  const { store, config = defaultConfigPath, 'data-dir': dataDir } = flags;
  const source = { config, ...(store === undefined ? {} : { store }), ...(dataDir === undefined ? {} : { dataDir }) };
  const opened = await openStore(source, host);
  try {
    await work(opened);
  } catch (error) {
    throw store === undefined ? error : explainStoreError(error, store);
  } finally {
    await opened.close();
  }
}

async function graph(flags: Flags, conversation: string, host: NodeJS.Process): Promise<void> {
  const { config, run, store, 'data-dir': dataDir } = flags;
  const render = renderOf(flags.format);
  const show = (picture: Picture): void => render(picture).forEach(printer(host));
  if (conversation !== '') {
    // Who names another place to read from has no file to compare with, unless it is named too.
    const file = config ?? (store === undefined && dataDir === undefined ? defaultConfigPath : undefined);
    const wanted = { conversation, ...(run === undefined ? {} : { run }) };
    const note = (line: string): void => void host.stderr.write(`${line}\n`);
    return withStore(flags, host, async (opened) => show(await pictureFromLog(opened, wanted, file, Date.now(), note)));
  }
  for (const name of ['run', 'store', 'data-dir'] as const)
    if (flags[name] !== undefined) throw new Error(`--${name} goes with the ID of a conversation`);
  show(pictureOfFile(config ?? defaultConfigPath));
}

function decideWith(flags: Flags, uuid: string, action: string, host: NodeJS.Process): Promise<void> {
  const { url = options.url.default, by, result, full = false, 'give-up': giveUp = false } = flags;
  const decision = {
    action,
    full,
    giveUp,
    ...(by === undefined ? {} : { by }),
    ...(result === undefined ? {} : { result }),
  };
  return decide(url, uuid, decision, { print: printer(host), confirm: confirmOn(host) });
}

/** What may be said of a call in doubt; a plain approval takes no `--action`. */
const actions: readonly string[] = ['run_again', 'happened', 'give_up'];

function actionOf(text: string | undefined): string {
  if (text === undefined) return 'approve';
  if (!actions.includes(text)) throw new Error(`--action takes run_again, happened or give_up, not "${text}"`);
  return text;
}

function revisionOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--at takes a revision, a whole number from 1, not "${text}"`);
  return Number(text);
}

function printer(host: NodeJS.Process): (line: string) => void {
  return (line) => void host.stdout.write(`${line}\n`);
}
