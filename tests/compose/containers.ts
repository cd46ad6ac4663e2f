import { until } from '../e2e/http.ts';
import { mustRun, run } from './run.ts';
import type { Tool } from './tool.ts';

/** Longest time from the start to the last container being healthy, in milliseconds. */
const healthyMs = 300_000;
/** Longest time for a container that was killed to be back and healthy, in milliseconds. */
const backMs = 120_000;
/** Seconds that a stop may take before the engine kills: the grace period of the file. */
const graceSeconds = 40;

/** What depends on nothing comes first. */
const startOrder = [
  'nats',
  'mcp-resources',
  'offline-model',
  'store',
  'mcp-bridge',
  'approvals',
  'orchestrator',
  'gateway',
  'web',
  'keeper',
  'change-desk',
  'front-desk',
];

/** One container of the composition, as the engine describes it. */
export type Container = {
  readonly id: string;
  readonly name: string;
  readonly service: string;
};

/** How a stop ended. */
export type Stopped = { readonly code: number; readonly seconds: number };

/** The containers of a composition that was started, whoever did that. */
export class Containers {
  readonly engineName: Tool['engine'];
  readonly project: string;
  protected readonly signal: AbortSignal;

  /** `signal` ends whatever is waited for. */
  constructor(engineName: Tool['engine'], project: string, signal: AbortSignal) {
    this.engineName = engineName;
    this.project = project;
    this.signal = signal;
  }

  /** The containers of one service, or all of them. */
  async containers(service?: string): Promise<Container[]> {
    const ids = await this.ours('container', ['-a', '--no-trunc']);
    const found = await Promise.all(
      ids.map(async (id) => {
        const format = '{{.Name}} {{index .Config.Labels "com.docker.compose.service"}}';
        const [name = '', of = ''] = (await this.inspect(id, format)).split(' ');
        return { id, name: name.replace(/^\//, ''), service: of };
      }),
    );
    return found
      .filter((container) => service === undefined || container.service === service)
      .sort((one, other) => one.name.localeCompare(other.name));
  }

  /** Waits until every container's own health check says yes. */
  async healthy(deadlineMs = healthyMs): Promise<void> {
    for (const container of await this.containers()) await this.healthyAgain(container, deadlineMs);
  }

  /** Waits until one container's health check says yes. */
  async healthyAgain({ id, name }: Container, deadlineMs = backMs): Promise<void> {
    await until(
      `${name} is healthy`,
      async () => {
        this.signal.throwIfAborted();
        return (await this.isHealthy(id)) ? true : undefined;
      },
      deadlineMs,
    );
  }

  /** Kills every process in a container, as a crash would: the restart policy of the file brings it back. */
  async crash({ id }: Container): Promise<void> {
    const before = await this.inspect(id, '{{.RestartCount}} {{.State.StartedAt}}');
    // Number 1 is the init process, which then ends by itself; the shell may be hit by its own shot.
    await run(this.engineName, ['exec', id, 'sh', '-c', 'kill -9 -1']);
    await until('the container was restarted', async () => {
      const now = await this.inspect(id, '{{.RestartCount}} {{.State.StartedAt}}');
      return now === before ? undefined : true;
    });
  }

  /** Kills containers at once and for good: they stay away until they are started. Those that do not run stay as they are. */
  async kill(containers: readonly Container[]): Promise<void> {
    // It complains of those that have ended already.
    await run(this.engineName, ['kill', '--signal', 'KILL', ...containers.map(({ id }) => id)]);
    for (const { id, name } of containers)
      await until(`${name} has ended`, async () => ((await this.isRunning(id)) ? undefined : true), backMs);
  }

  /** Stops a container with SIGTERM; its exit code and the seconds it took. */
  async stop({ id }: Container): Promise<Stopped> {
    const from = performance.now();
    await this.engine('stop', '-t', String(graceSeconds), id);
    const seconds = (performance.now() - from) / 1_000;
    return { code: Number(await this.inspect(id, '{{.State.ExitCode}}')), seconds };
  }

  /** Starts containers that were stopped or killed; those that run stay as they are. */
  async start(...containers: readonly Container[]): Promise<void> {
    // One by one, each after what it depends on: podman refuses to begin with another.
    const rank = ({ service }: Container) => startOrder.indexOf(service);
    for (const { id } of containers.toSorted((one, other) => rank(one) - rank(other))) await this.engine('start', id);
  }

  /** The URLs of all gateways, from this machine. A restart may change them. */
  async gateways(): Promise<string[]> {
    const containers = await this.containers('gateway');
    return await Promise.all(
      containers.map(async ({ id }) => `http://${(await this.engine('port', id, '8080/tcp')).split('\n')[0]}`),
    );
  }

  async logs({ id }: Container): Promise<string> {
    return (await run(this.engineName, ['logs', id])).output;
  }

  /** One field of what the engine says about a container or an image. */
  async inspect(id: string, format: string): Promise<string> {
    // Also after a signal: what is to be taken down must be found.
    return (await mustRun(this.engineName, ['inspect', '--format', format, id])).trim();
  }

  /** Runs a program of the engine; gives its output. */
  engine(...args: string[]): Promise<string> {
    return mustRun(this.engineName, args, { signal: this.signal });
  }

  /** Ids of what the engine made for this project. */
  protected async ours(what: string, flags: readonly string[]): Promise<string[]> {
    const filter = `label=com.docker.compose.project=${this.project}`;
    const output = await mustRun(this.engineName, [what, 'ls', '-q', ...flags, '--filter', filter]);
    return output.split(/\s+/).filter((id) => id !== '');
  }

  private async isRunning(id: string): Promise<boolean> {
    return (await this.inspect(id, '{{.State.Running}}')) === 'true';
  }

  private async isHealthy(id: string): Promise<boolean> {
    // Podman runs the checks by timers of systemd, which not every machine has: here it is asked to.
    if (this.engineName === 'podman') return (await run('podman', ['healthcheck', 'run', id])).code === 0;
    return (await this.inspect(id, '{{.State.Health.Status}}')) === 'healthy';
  }
}
