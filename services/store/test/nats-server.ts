import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { freePort } from '../../../tests/free-ports.ts';

/** Longest wait for a server to listen, in milliseconds. */
const startMsMax = 10_000;
/** Ports that are tried before a start fails. */
const portTriesMax = 3;

/** Where the program is: as the environment says, on the path, or fetched beside the project. */
const program = [
  process.env.STOPGO_NATS_SERVER,
  'nats-server',
  fileURLToPath(new URL('../../../.cache/nats/usr/sbin/nats-server', import.meta.url)),
].find((path) => path !== undefined && spawnSync(path, ['--version']).status === 0);

/** Tests that need a nats-server: skipped by name where there is none, except where that would hide something. */
export const describeWithNats =
  program !== undefined || process.env.CI === 'true'
    ? describe
    : (name: string, tests: () => void) =>
        describe.skip(`${name} (skipped: no nats-server; set STOPGO_NATS_SERVER)`, tests);

/** A server of its own for a test. Its ports and its files stay the same when it is started again. */
export type NatsServer = {
  /** With credentials, if it wants any. */
  readonly url: string;
  readonly monitorUrl: string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, with other settings if need be. */
  start(settings?: NatsSettings): Promise<void>;
  /** Makes it stand still, and go on. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its files. */
  remove(): Promise<void>;
};

/** What its configuration says beside its ports. */
export type NatsSettings = {
  /** Body of the block `jetstream`; undefined: off. */
  readonly jetstream?: string | undefined;
  readonly monitor?: boolean;
  readonly user?: { readonly name: string; readonly password: string };
  /** Further lines. */
  readonly more?: string;
};

/** As the project ships it: writes through, and shows that it does. */
export const safe: NatsSettings = { jetstream: 'sync_interval: always', monitor: true };

/** Starts a server on a port and a folder of its own. */
export async function startNats(settings: NatsSettings = safe): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-nats-'));
  const started = await onFreePorts((port, monitorPort) => start(folder, port, monitorPort, settings));
  const { port, monitorPort } = started;
  let { child } = started;
  let lastSettings = settings;
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  const { user } = settings;
  return {
    url: `nats://${user === undefined ? '' : `${user.name}:${encodeURIComponent(user.password)}@`}127.0.0.1:${port}`,
    monitorUrl: `http://127.0.0.1:${monitorPort}`,
    kill,
    async start(next = lastSettings) {
      lastSettings = next;
      child = await start(folder, port, monitorPort, next);
    },
    freeze: () => {
      child.kill('SIGSTOP');
      // The signal is on its way: until each thread has it, the server may still answer.
      while (!standsStill(child.pid));
    },
    thaw: () => void child.kill('SIGCONT'),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whatever was free may be taken by a connection of another test before the server listens. */
async function onFreePorts(run: (port: number, monitorPort: number) => Promise<ChildProcess>) {
  for (let tries = 1; ; tries++) {
    const [port, monitorPort] = [await freePort(), await freePort()];
    try {
      return { port, monitorPort, child: await run(port, monitorPort) };
    } catch (error) {
      if (tries === portTriesMax || !String(error).includes('address already in use')) throw error;
    }
  }
}

async function start(folder: string, port: number, monitorPort: number, settings: NatsSettings) {
  const { jetstream, monitor = false, user, more = '' } = settings;
  const file = join(folder, 'nats.conf');
  const lines = [
    `listen: "127.0.0.1:${port}"`,
    `ports_file_dir: "${folder}"`,
    ...(monitor ? [`http: "127.0.0.1:${monitorPort}"`] : []),
    ...(jetstream === undefined ? [] : [`jetstream { store_dir: "${folder}", ${jetstream} }`]),
    ...(user === undefined ? [] : [`authorization { user: "${user.name}", password: "${user.password}" }`]),
    more,
  ];
  writeFileSync(file, lines.join('\n'));
  if (program === undefined) throw new Error('there is no nats-server; set STOPGO_NATS_SERVER to its path');
  const output = join(folder, 'output');
  const child = spawn(program, ['-c', file, '-l', output], { stdio: 'ignore' });
  await listening(child, join(folder, `nats-server_${child.pid}.ports`), output);
  return child;
}

/** The server writes its ports down once it listens. */
async function listening(child: ChildProcess, portsFile: string, output: string): Promise<void> {
  const until = performance.now() + startMsMax;
  while (!existsSync(portsFile)) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`nats-server does not listen: ${existsSync(output) ? readFileSync(output, 'utf8') : ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function standsStill(pid: number | undefined): boolean {
  const states = readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8'));
  return states.every((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'));
}
