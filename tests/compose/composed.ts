import { randomBytes } from 'node:crypto';
import { keepBridgeAddresses } from './bridge-addresses.ts';
import { Containers } from './containers.ts';
import { mustRun, type RunOptions, run } from './run.ts';
import type { Tool } from './tool.ts';

/** The image that the tests build. */
export const testImage = 'localhost/stopgo-test:latest';

/** What is composed: files of the repository, and what they need to know. */
export type Composing = {
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** The containers of some compose files, with the offline model, under a project name and on ports of their own. */
export class Composed extends Containers {
  readonly tool: Tool;
  private readonly composing: Composing;

  constructor(tool: Tool, composing: Composing, signal: AbortSignal) {
    super(tool.engine, `stopgo-test-${randomBytes(4).toString('hex')}`, signal);
    this.tool = tool;
    this.composing = composing;
  }

  async build(): Promise<void> {
    await this.compose(['build'], this.stoppable());
  }

  /** Starts everything. */
  async up(): Promise<void> {
    const start = this.compose(['up', '-d'], this.stoppable());
    const isPodman = this.tool.engine === 'podman';
    await Promise.all([start, isPodman && keepBridgeAddresses(() => this.ours('network', []), start)]);
  }

  /**
   * Takes everything down, volumes too, whatever state it is in.
   *
   * @throws Error that names what is left, if anything is.
   */
  async down(): Promise<void> {
    const anonymous = await this.volumes();
    await this.compose(['down', '-v'], { env: this.composing.env });
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

  private async volumes(): Promise<string[]> {
    const format = '{{range .Mounts}}{{if eq .Type "volume"}}{{.Name}} {{end}}{{end}}';
    const names = await Promise.all((await this.containers()).map(({ id }) => this.inspect(id, format)));
    return names.flatMap((line) => line.split(/\s+/)).filter((name) => name !== '');
  }

  private compose(args: readonly string[], options: RunOptions): Promise<string> {
    const [command, ...rest] = this.tool.compose;
    const files = this.composing.files.flatMap((file) => ['-f', file]);
    return mustRun(command, [...rest, ...files, '-p', this.project, '--profile', 'demo', ...args], options);
  }

  private stoppable(): RunOptions {
    return { env: this.composing.env, signal: this.signal };
  }
}
