import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./writer.process.ts', import.meta.url));

/** An append that the process said was acknowledged. */
export type Acked = { readonly stream: string; readonly revision: number; readonly key: string };

/** A process with a store on a data directory that appends until it is killed. */
export class Writer {
  readonly acked: Acked[] = [];
  readonly failures: string[] = [];
  /** Why the store did not start, if it did not. */
  refused = '';
  #ready = false;
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;

  /** `within`: a command line that starts the one that follows it. */
  constructor(dataDir: string, writers: number, within: readonly string[] = []) {
    const node = [process.execPath, '--conditions=stopgo-source', '--import', 'tsx', script, dataDir, `${writers}`];
    const [program = '', ...args] = [...within, ...node];
    this.#process = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#exited = once(this.#process, 'exit');
    if (this.#process.stdout !== null) createInterface(this.#process.stdout).on('line', (line) => this.#heard(line));
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Kills it as a power switch would, and waits until it is gone and heard out. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.gone();
  }

  async gone(): Promise<void> {
    await this.#exited;
    // The pipe may still hold lines.
    if (this.#process.stdout?.readableEnded === false) await once(this.#process.stdout, 'close');
  }

  #heard(line: string): void {
    const [what, ...words] = line.split(' ');
    if (what === 'ready') this.#ready = true;
    if (what === 'failed') this.failures.push(words.join(' '));
    if (what === 'refused') this.refused = words.join(' ');
    // The last line may be half of one.
    if (what === 'acked' && words.length === 3 && words[2]?.length === 36)
      this.acked.push({ stream: words[0] ?? '', revision: Number(words[1]), key: words[2] });
  }
}

/** A soft limit on the size of files is how a disk gets full without one: writes beyond it fail. */
export const withFilesUpTo = (blocks: number): readonly string[] => [
  ...['bash', '-c', `ulimit -S -f ${blocks}; trap '' XFSZ; exec "$@"`, 'bash'],
];
