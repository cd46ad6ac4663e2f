import { randomBytes } from 'node:crypto';
import { Containers } from './containers.ts';
import { mustRun, type RunOptions, run } from './run.ts';
import { type Shared, shareFolder } from './shared-folder.ts';
import type { Tool } from './tool.ts';

/** What the containers are given that must not be found anywhere else. */
export type Secrets = {
  readonly internalToken: string;
  readonly natsPassword: string;
  readonly modelKey: string;
};

/**
 * The whole of docker-compose.yaml with the offline model, under a project name and on ports of its own. What
 * override.yaml adds: one more tool server, whose journal the tests read, and the controls of the model.
 */
export class Composition extends Containers {
  readonly secrets: Secrets;
  readonly tool: Tool;
  readonly image: string;
  readonly shared: Shared;
  private readonly env: Readonly<Record<string, string | undefined>>;

  /** `replicas` says of which service there is more than one. */
  constructor(tool: Tool, replicas: Readonly<Record<string, number>>, signal: AbortSignal) {
    super(tool.engine, `stopgo-test-${randomBytes(4).toString('hex')}`, signal);
    this.tool = tool;
    this.shared = shareFolder();
    this.image = 'localhost/stopgo-test:latest';
    const random = () => randomBytes(24).toString('hex');
    // Begins like a number on purpose: the configuration of NATS must not read it as one.
    this.secrets = { internalToken: random(), natsPassword: `12e3${random()}`, modelKey: random() };
    this.env = {
      ...process.env,
      COMPOSE_PROFILES: undefined,
      STOPGO_CONFIG: this.shared.configuration,
      STOPGO_TEST_FOLDER: this.shared.folder,
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
    this.shared.remove();
    const left: string[] = [];
    for (const what of ['container', 'volume', 'network']) {
      const all = what === 'container' ? ['-a'] : [];
      const ids = await this.ours(what, all);
      if (ids.length > 0) left.push(`${what} ${ids.join(', ')}`);
    }
    if (left.length > 0) throw new Error(`left behind after "down": ${left.join('; ')}`);
  }

  private async anonymousVolumes(): Promise<string[]> {
    const stores = await this.containers('store');
    const format = '{{range .Mounts}}{{if eq .Type "volume"}}{{.Name}} {{end}}{{end}}';
    const names = await Promise.all(stores.map(({ id }) => mustRun(this.tool.engine, ['inspect', '-f', format, id])));
    return names.flatMap((line) => line.split(/\s+/)).filter((name) => name !== '');
  }

  private compose(args: readonly string[], options: RunOptions): Promise<string> {
    const [command, ...rest] = this.tool.compose;
    const files = ['-f', 'docker-compose.yaml', '-f', 'tests/compose/override.yaml'];
    return mustRun(command, [...rest, ...files, '-p', this.project, '--profile', 'demo', ...args], options);
  }

  private stoppable(): RunOptions {
    return { env: this.env, signal: this.signal };
  }
}
