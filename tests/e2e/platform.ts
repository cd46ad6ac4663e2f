import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { handed, startComposed } from './composed.ts';
import { launchHere } from './platform-here.ts';
import { processesOf } from './processes.ts';
import { topology } from './topology.ts';

/** The root of the repository: commands of the tests' configurations are relative to it. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'cli/dist/program/main.js');
const startCommand = topology === 'services' ? 'services' : 'start';
/** How long a start may take before it counts as failed, in milliseconds. */
const startMs = { start: 60_000, services: 60_000 } as const;

/** A folder of one test: data, configuration and what the tools keep. */
export type Workplace = {
  readonly folder: string;
  readonly dataDir: string;
  readonly database: string;
  remove(): void;
};

export function workplace(): Workplace {
  if (topology === 'compose') return composedWorkplace();
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-e2e-'));
  mkdirSync(join(folder, 'tools'));
  return {
    folder,
    dataDir: join(folder, 'data'),
    database: join(folder, 'tools/resources.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The one that the composition has: its own folders are inside of the containers. */
function composedWorkplace(): Workplace {
  const { folder } = handed();
  const inside = '/data';
  return { folder, dataDir: inside, database: join(inside, 'resources.db'), remove: () => undefined };
}

/** The configuration of the resources agent, with lines of YAML added at its top level. */
export function resourcesConfig(place: Workplace, more = ''): string {
  return `
name: tested
prompt: You look after resources.
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:
  - name: resources
    command: node
    args: [mcp-servers/resources/dist/main.js, --db, ${JSON.stringify(place.database)}]
${more}`;
}

/** Lines of configuration of the journaled tool server, for the list `mcp_servers`; its tools' names begin with the prefix. */
export function journaledServer(place: Pick<Workplace, 'folder'>, prefix = '', more = ''): string {
  return `
  - name: ${prefix}journaled
    command: node
    args: [tests/e2e/fixtures/tools.mjs, ${JSON.stringify(journalFile(place))}, ${JSON.stringify(prefix)}]
    ${more}`;
}

/** {@link resourcesConfig} with the journaled tool server too; `ofServer` is a line of YAML of that. */
export function journaledConfig(place: Workplace, more = '', ofServer = ''): string {
  return resourcesConfig(place, more).replace('mcp_servers:', `mcp_servers:${journaledServer(place, '', ofServer)}`);
}

/** Where the journaled tool server writes what really ran. */
export function journalFile(place: Pick<Workplace, 'folder'>): string {
  return join(place.folder, 'tools/journal');
}

/** A running platform. */
export type Platform = {
  readonly url: string;
  /** Of every gateway, `url` first. */
  readonly urls: readonly string[];
  /** Its process. Throws where it has none of its own: see {@link StartOptions.asProcess}. */
  readonly process: ChildProcess;
  /** Everything that it has printed so far. */
  output(): string;
  /** Its part of that on the error output. */
  errors(): string;
  /**
   * Ends it as a signal from outside would, SIGKILL with all of its services; gives the exit code (null if a signal ended it). Throws if it
   * is to be killed and has no process of its own.
   */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
  /** Gets rid of it in the quickest way, when nothing follows. */
  discard(): Promise<void>;
};

export type StartOptions = {
  /** Whatever the topology: `start` or `services`. */
  readonly command?: 'start' | 'services';
  /**
   * Starts a process, for what only that shows: what outlives a kill, what the program itself prints and how it ends. Without it, `start`
   * runs in the process of the test.
   */
  readonly asProcess?: true;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Does not name a configuration, so that the default path is read. */
  readonly defaultConfig?: true;
  /** A program with its arguments that is started in its place, and is given its command line. */
  readonly within?: readonly [string, ...string[]];
  /** Is told all that it has printed while it starts, each time that it prints. */
  readonly onOutput?: (printed: string) => void;
};

/** What came of a start that was not to succeed. */
export type FailedStart = { readonly code: number | null; readonly output: string; readonly errors: string };

/**
 * Starts `stopgo start --config` (or `services`) with a configuration; resolves when it is ready, rejects if it ends before.
 * The composition has its configuration already: only what runs there is started.
 */
export async function start(place: Workplace, config: string, options: StartOptions = {}): Promise<Platform> {
  if (topology === 'compose') {
    if (![resourcesConfig(place), journaledConfig(place)].includes(config))
      throw new Error(
        'this configuration is not the one of the composition: name the test in tests/compose/left-out.ts',
      );
    return startComposed();
  }
  const running = launch(place, config, options);
  const ready = await running.ready;
  if (typeof ready !== 'string')
    throw new Error(`the platform did not start (exit code ${ready.code}):\n${ready.output}`);
  const { output, errors, end, discard } = running;
  const gateways = [...output().matchAll(/^\[gateway-\d+\] .*ready on (http:\S+)$/gm)].map(([, url = '']) => url);
  const urls = [ready, ...gateways.filter((url) => url !== ready)];
  return {
    url: ready,
    urls,
    get process() {
      return running.child();
    },
    output,
    errors,
    end,
    discard,
  };
}

/** Starts it expecting that it refuses; gives its exit code and what it said. */
export async function startRefused(place: Workplace, config: string, options: StartOptions = {}): Promise<FailedStart> {
  const running = launch(place, config, options);
  const ready = await running.ready;
  if (typeof ready !== 'string') return ready;
  await running.discard();
  throw new Error(`the platform started, though it should have refused:\n${running.output()}`);
}

/** A `stopgo` command that runs on. */
export type RunningCommand = {
  readonly process: ChildProcess;
  output(): string;
  errors(): string;
  /** Resolves with the exit code when it has ended (null if a signal ended it). */
  readonly exited: Promise<number | null>;
};

/** Starts a `stopgo` command that runs on. */
export function launchCommand(
  args: readonly string[],
  options: Pick<StartOptions, 'cwd' | 'env'> = {},
): RunningCommand {
  const { child, exited, output, errors } = run(args, options);
  return { process: child, exited, output, errors };
}

/** Runs any other `stopgo` command to its end. */
export function stopgo(args: readonly string[], options: Pick<StartOptions, 'cwd' | 'env'> = {}): Promise<FailedStart> {
  const { exited, output, errors } = launchCommand(args, options);
  return exited.then((code) => ({ code, output: output(), errors: errors() }));
}

/** Where the launcher finds a nats-server, if it is somewhere else than on the path. */
const natsServer =
  process.env.STOPGO_NATS_SERVER === undefined ? {} : { STOPGO_NATS_SERVER: process.env.STOPGO_NATS_SERVER };

function run(args: readonly string[], { env = {}, cwd = root, within }: Pick<StartOptions, 'env' | 'cwd' | 'within'>) {
  const [program, ...all] = [...(within ?? []), process.execPath, command, ...args] as [string, ...string[]];
  const child = spawn(program, all, {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let errors = '';
  let onOutput: (printed: string) => void = () => undefined;
  const collect = (chunk: Buffer): void => {
    printed += chunk.toString('utf8');
    onOutput(printed);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
    collect(chunk);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    child,
    exited,
    output: () => printed,
    errors: () => errors,
    watch: (listener: typeof onOutput) => {
      onOutput = listener;
    },
  };
}

type Launched = {
  /** Its URL, or what came of it if it ended before it was ready. */
  readonly ready: Promise<string | FailedStart>;
  child(): ChildProcess;
} & Pick<Platform, 'output' | 'errors' | 'end' | 'discard'>;

/** A command that runs on, in whichever process. */
type Running = Pick<Launched, 'output' | 'errors' | 'child' | 'discard'> & {
  readonly exited: Promise<number | null>;
  signal(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
};

function launch(place: Workplace, config: string, options: StartOptions): Launched {
  const file = join(place.folder, 'agent.yaml');
  writeFileSync(file, config);
  const named = options.defaultConfig === true ? [] : ['--config', file];
  const program = options.command ?? startCommand;
  const args = [program, ...named, ...(options.args ?? [])];
  let isReady = (_printed: string): void => undefined;
  const onOutput = (printed: string): void => {
    options.onOutput?.(printed);
    isReady(printed);
  };
  const isHere = program === 'start' && options.asProcess !== true && options.cwd === undefined;
  const running = isHere ? runHere(args, options, onOutput) : runAsProcess(place, args, options, onOutput);
  const { output, errors, exited, signal } = running;
  const ready = new Promise<string | FailedStart>((resolve, reject) => {
    const timer = setTimeout(() => {
      void running.discard();
      reject(new Error(`not ready after ${startMs[program]} ms:\n${output()}`));
    }, startMs[program]);
    isReady = (text) => {
      const url = /ready on (http:\S+) after/.exec(text)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    void exited.then((code) => {
      clearTimeout(timer);
      resolve({ code, output: output(), errors: errors() });
    });
  });
  const end = (word: 'SIGTERM' | 'SIGINT' | 'SIGKILL') => {
    signal(word);
    return exited;
  };
  return { ...running, ready, end };
}

/** What a start is given of the environment, whatever else this process has. */
const environment = (env: StartOptions['env']) => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  ...natsServer,
  ...env,
});

function runHere(args: readonly string[], { env }: StartOptions, onOutput: (printed: string) => void): Running {
  const running = launchHere(args, environment(env), onOutput);
  const ownProcess = 'give start() asProcess: true, so that this platform has a process of its own';
  return {
    ...running,
    child: () => {
      throw new Error(`nothing but a process has one: ${ownProcess}`);
    },
    signal: (word) => {
      if (word === 'SIGKILL') throw new Error(`only a process can be killed: ${ownProcess}`);
      running.signal(word);
    },
    discard: async () => {
      running.signal('SIGTERM');
      await running.exited;
    },
  };
}

function runAsProcess(
  place: Workplace,
  args: readonly string[],
  options: StartOptions,
  onOutput: (printed: string) => void,
): Running {
  const { child, exited, output, errors, watch } = run(args, options);
  watch(onOutput);
  const signal = (word: 'SIGTERM' | 'SIGINT' | 'SIGKILL') => {
    // Killed is killed: a launcher alone would leave services that stop in good order.
    if (word === 'SIGKILL' && args[0] === 'services') for (const pid of processesOf(place.folder)) kill(pid);
    child.kill(word);
  };
  const discard = async () => {
    signal('SIGKILL');
    await exited;
  };
  return { child: () => child, exited, output, errors, signal, discard };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
