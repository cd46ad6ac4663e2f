import { randomBytes } from 'node:crypto';
import { until } from '../e2e/http.ts';
import { mustRun, type RunOptions, run } from './run.ts';
import type { Tool } from './tool.ts';

/** Longest time from the start to the last container being healthy, in milliseconds. */
const healthyMs = 300_000;
/** Longest time for a container that was killed to be back and healthy, in milliseconds. */
const backMs = 120_000;
/** Seconds that a stop may take before the engine kills: the grace period of the file. */
const graceSeconds = 40;

/** What the containers are given that must not be found anywhere else. */
export type Secrets = {
  readonly internalToken: string;
  readonly natsPassword: string;
  readonly modelKey: string;
};

/** One container of the composition, as the engine describes it. */
export type Container = {
  readonly id: string;
  readonly name: string;
  readonly service: string;
};

/** The whole of docker-compose.yaml with the offline model, under a project name and on ports of its own. */
export class Composition {
  readonly secrets: Secrets;
  readonly tool: Tool;
  readonly image: string;
  private readonly project = `stopgo-test-${randomBytes(4).toString('hex')}`;
  private readonly env: Readonly<Record<string, string | undefined>>;
  private readonly signal: AbortSignal;

  /** `replicas` says of which service there is more than one. */
  constructor(tool: Tool, replicas: Readonly<Record<string, number>>, signal: AbortSignal) {
    this.tool = tool;
    this.signal = signal;
    this.image = 'localhost/stopgo-test:latest';
    const random = () => randomBytes(24).toString('hex');
    // Begins like a number on purpose: the configuration of NATS must not read it as one.
    this.secrets = { internalToken: random(), natsPassword: `12e3${random()}`, modelKey: random() };
    this.env = {
      ...process.env,
      COMPOSE_PROFILES: undefined,
      STOPGO_CONFIG: undefined,
      STOPGO_BIND: undefined,
      // Any free port, so that several gateways do not want the same.
      STOPGO_PORT: '',
      STOPGO_IMAGE: this.image,
      STOPGO_NATS_IMAGE: 'localhost/stopgo-nats-test:latest',
      ...Object.fromEntries(
        Object.entries(replicas).map(([service, count]) => [
          `STOPGO_SCALE_${service.toUpperCase().replaceAll('-', '_')}`,
          String(count),
        ]),
      ),
      STOPGO_INTERNAL_TOKEN: this.secrets.internalToken,
      NATS_PASSWORD: this.secrets.natsPassword,
      GEMINI_API_KEY: this.secrets.modelKey,
      ANTHROPIC_API_KEY: this.secrets.modelKey,
      STOPGO_OFFLINE_MODEL: 'http://offline-model:8091',
    };
  }

  async build(): Promise<void> {
    await this.compose(['build'], this.stoppable());
  }

  /** Starts everything. */
  async up(): Promise<void> {
    await this.compose(['up', '-d'], this.stoppable());
  }

  /**
   * Takes everything down, volumes too, whatever state it is in.
   *
   * @throws Error that names what is left, if anything is.
   */
  async down(): Promise<void> {
    const anonymous = await this.anonymousVolumes();
    await this.compose(['down', '-v'], { env: this.env });
    // podman-compose leaves the volumes that the image asks for.
    if (this.tool.engine === 'podman')
      for (const volume of anonymous) await run('podman', ['volume', 'rm', '--force', volume]);
    const left: string[] = [];
    for (const what of ['container', 'volume', 'network']) {
      const all = what === 'container' ? ['-a'] : [];
      const ids = await this.ours(what, all);
      if (ids.length > 0) left.push(`${what} ${ids.join(', ')}`);
    }
    if (left.length > 0) throw new Error(`left behind after "down": ${left.join('; ')}`);
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
    await run(this.tool.engine, ['exec', id, 'sh', '-c', 'kill -9 -1']);
    await until('the container was restarted', async () => {
      const now = await this.inspect(id, '{{.RestartCount}} {{.State.StartedAt}}');
      return now === before ? undefined : true;
    });
  }

  /** Stops a container with SIGTERM; its exit code and the seconds it took. */
  async stop({ id }: Container): Promise<{ readonly code: number; readonly seconds: number }> {
    const from = performance.now();
    await this.engine('stop', '-t', String(graceSeconds), id);
    const seconds = (performance.now() - from) / 1_000;
    return { code: Number(await this.inspect(id, '{{.State.ExitCode}}')), seconds };
  }

  async start({ id }: Container): Promise<void> {
    await this.engine('start', id);
  }

  /** The URLs of all gateways, from this machine. */
  async gateways(): Promise<string[]> {
    const containers = await this.containers('gateway');
    return await Promise.all(
      containers.map(async ({ id }) => `http://${(await this.engine('port', id, '8080/tcp')).split('\n')[0]}`),
    );
  }

  async logs({ id }: Container): Promise<string> {
    return (await run(this.tool.engine, ['logs', id])).output;
  }

  /** One field of what the engine says about a container or an image. */
  async inspect(id: string, format: string): Promise<string> {
    // Also after a signal: what is to be taken down must be found.
    return (await mustRun(this.tool.engine, ['inspect', '--format', format, id])).trim();
  }

  /** Runs a program of the engine; gives its output. */
  engine(...args: string[]): Promise<string> {
    return mustRun(this.tool.engine, args, { signal: this.signal });
  }

  private async isHealthy(id: string): Promise<boolean> {
    // Podman runs the checks by timers of systemd, which not every machine has: here it is asked to.
    if (this.tool.engine === 'podman') return (await run('podman', ['healthcheck', 'run', id])).code === 0;
    return (await this.inspect(id, '{{.State.Health.Status}}')) === 'healthy';
  }

  /** Ids of what the engine made for this project. */
  private async ours(what: string, flags: readonly string[]): Promise<string[]> {
    const filter = `label=com.docker.compose.project=${this.project}`;
    const output = await mustRun(this.tool.engine, [what, 'ls', '-q', ...flags, '--filter', filter]);
    return output.split(/\s+/).filter((id) => id !== '');
  }

  private async anonymousVolumes(): Promise<string[]> {
    const stores = await this.containers('store');
    const format = '{{range .Mounts}}{{if eq .Type "volume"}}{{.Name}} {{end}}{{end}}';
    const names = await Promise.all(stores.map(({ id }) => mustRun(this.tool.engine, ['inspect', '-f', format, id])));
    return names.flatMap((line) => line.split(/\s+/)).filter((name) => name !== '');
  }

  private compose(args: readonly string[], options: RunOptions): Promise<string> {
    const [command, ...rest] = this.tool.compose;
    return mustRun(command, [...rest, '-p', this.project, '--profile', 'demo', ...args], options);
  }

  private stoppable(): RunOptions {
    return { env: this.env, signal: this.signal };
  }
}
