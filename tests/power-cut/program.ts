import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killAll, treeOf } from './process-tree.ts';
import type { Undo } from './undo.ts';

/** The root of the repository, where every program is started. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** How long a program may take until it is ready, in milliseconds: long, for a machine that is busy with other things. */
const readyMs = 120_000;

export type ProgramOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints when it is ready. */
  readonly ready: RegExp;
};

/** A process that was started and is ready. It ends with the test, however that ends. */
export class Program {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly end: () => void;
  private printed = '';

  private constructor(command: readonly string[], env: Readonly<Record<string, string>>, undo: Undo) {
    const [program = '', ...args] = command;
    this.child = spawn(program, args, {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A Ctrl-C in the terminal is for the test, which then ends it.
      detached: true,
    });
    this.exited = once(this.child, 'close').catch(() => undefined);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text;
        this.child.emit('printed');
      });
    this.end = undo.add(() => killAll(this.pids()));
  }

  /** Starts a program. Rejects with what it printed if it ends, or is not ready in time. */
  static async start(command: readonly string[], options: ProgramOptions, undo: Undo): Promise<Program> {
    const program = new Program(command, options.env ?? {}, undo);
    try {
      await program.says(options.ready);
      return program;
    } catch (error) {
      await program.kill();
      throw error;
    }
  }

  /** The process and all that it has started; empty if it has ended. */
  pids(): number[] {
    const { pid, exitCode, signalCode } = this.child;
    return pid === undefined || exitCode !== null || signalCode !== null ? [] : treeOf(pid);
  }

  /** What the first match of a pattern in its output captured. */
  captured(pattern: RegExp): string {
    const found = pattern.exec(this.printed)?.[1];
    if (found === undefined) throw new Error(`not printed: ${pattern}\n${this.printed}`);
    return found;
  }

  /** Ends it, with all that it has started, as a power cut would. */
  async kill(): Promise<void> {
    this.end();
    await this.exited;
  }

  private says(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (what: string) => reject(new Error(`${this.child.spawnargs.join(' ')} ${what}:\n${this.printed}`));
      const timer = setTimeout(() => failed(`was not ready in ${readyMs} ms`), readyMs);
      this.child.on('printed', () => {
        if (!pattern.test(this.printed)) return;
        clearTimeout(timer);
        resolve();
      });
      this.child.once('error', (error) => failed(error.message));
      void this.exited.then(() => {
        clearTimeout(timer);
        failed('ended');
      });
    });
  }
}

/** The command that runs a TypeScript program of this repository from its source, with modules loaded before it. */
export function fromSource(file: string, args: readonly string[], preloads: readonly string[] = []): string[] {
  const before = preloads.flatMap((module) => ['--import', module]);
  return [process.execPath, '--import', 'tsx', ...before, '--conditions=stopgo-source', file, ...args];
}

/** Runs the `stopgo` command to its end, whatever that is. */
export async function stopgo(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const [program = '', ...rest] = fromSource('cli/src/main.ts', args);
  const child = spawn(program, rest, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, output: output.trim() };
}
