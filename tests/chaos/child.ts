import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A program, the same for each of its lives. */
export type ChildSpec = {
  /** Names it in reports and in the name of its log. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** It says when it is ready, under which id, by a message to its parent; and ends when its parent does. */
  readonly tells?: true;
  /** All lives append to it. */
  readonly logFile: string;
};

/** How long a process is given to stop in good order, in milliseconds. */
const stopMs = 45_000;

const living = new Set<ChildProcess>();
// Whatever ends us, nobody is left behind, also not frozen.
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** A process that can be struck, and is started again as it was: same arguments, same addresses. */
export class Child {
  readonly spec: ChildSpec;
  /** Told of a process that ended though nobody struck it. */
  private readonly onCrash: (what: string) => void;
  private child: ChildProcess | undefined;
  private ended: Promise<string> = Promise.resolve('');
  private isExpected = false;
  private readonly told = new Set<() => void>();
  private id: string | undefined;

  constructor(spec: ChildSpec, onCrash: (what: string) => void) {
    this.spec = spec;
    this.onCrash = onCrash;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** True until the process has ended, also while it is frozen. */
  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves with the id of this life once it is ready; for a program that tells. */
  async instance(): Promise<string> {
    for (;;) {
      if (this.id !== undefined) return this.id;
      await new Promise<void>((resolve) => this.told.add(resolve));
    }
  }

  start(): void {
    const { command, args, env, logFile, name, tells } = this.spec;
    const log = openSync(logFile, 'a', 0o600);
    this.isExpected = false;
    const child = spawn(command, args, {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
      // An input that ends tells a program of ours that its parent has gone.
      stdio: tells === true ? ['ignore', log, log, 'ipc'] : ['pipe', log, log],
    });
    closeSync(log);
    child.stdin?.on('error', () => undefined);
    this.child = child;
    living.add(child);
    child.once('exit', () => living.delete(child));
    this.id = undefined;
    child.on('message', (message: { readonly instance?: string }) => {
      if (this.child !== child || message.instance === undefined) return;
      this.id = message.instance;
      for (const tell of this.told) tell();
      this.told.clear();
    });
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        if (!this.isExpected && this.child === child) this.onCrash(`${name} ended by itself (${how})`);
        resolve(how);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(code === null ? `${signal}` : `exit code ${code}`));
    });
  }

  /** SIGKILL. Resolves when it is dead. */
  async kill(): Promise<void> {
    this.isExpected = true;
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** SIGTERM, as an operator stops it. Gives how it ended; one that does not is killed. */
  async stop(): Promise<string> {
    if (!this.isRunning) return 'exit code 0';
    this.isExpected = true;
    this.child?.kill('SIGTERM');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`not within ${stopMs} ms`), stopMs);
    });
    const how = await Promise.race([this.ended, late]);
    clearTimeout(timer);
    await this.kill();
    return how;
  }

  /** Everything that it has written so far. */
  output(): string {
    return readFileSync(this.spec.logFile, 'utf8');
  }
}
