import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A program, the same for each of its lives. */
export type ChildSpec = {
  /** Names it in reports and in the name of its log. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** All lives append to it. */
  readonly logFile: string;
};

/** How long a process is given to stop in good order, in milliseconds. */
const stopMs = 45_000;

/** A process that can be struck, and is started again as it was: same arguments, same addresses. */
export class Child {
  readonly spec: ChildSpec;
  /** Told of a process that ended though nobody struck it. */
  private readonly onCrash: (what: string) => void;
  private child: ChildProcess | undefined;
  private ended: Promise<string> = Promise.resolve('');
  private isExpected = false;

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

  start(): void {
    const { command, args, env, logFile, name } = this.spec;
    const log = openSync(logFile, 'a', 0o600);
    this.isExpected = false;
    const child = spawn(command, args, {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
      // The input tells a child that its parent has gone: it must not stay.
      stdio: ['pipe', log, log],
    });
    closeSync(log);
    child.stdin?.on('error', () => undefined);
    this.child = child;
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
