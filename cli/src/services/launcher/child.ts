import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Logger } from '@stopgo/runtime';
import { handedOverIn, handOver } from '../../../bin/handed-over.mjs';
import { childStopMs, restartMsMax, restartMsMin, restartResetMs } from '../bounds.ts';
import type { ReadyMessage } from '../ready-message.ts';
import type { MergedOutput } from './merged-output.ts';

/** How a process is started. */
export type ChildSpec = {
  /** As lines of the log name it, `orchestrator-1`. */
  readonly name: string;
  /** The program and its arguments, for Node. */
  readonly args: readonly string[];
  /** Its environment, which others may see; `address` is where it said it listens at an earlier start. */
  readonly env: (address: string | undefined) => NodeJS.ProcessEnv;
  /** Variables that nobody else may see: they are handed over in a descriptor. */
  readonly secrets: NodeJS.ProcessEnv;
  /** Changes a line that it prints, or keeps it back. */
  readonly onLine?: (line: string) => string | undefined;
};

export type ChildDependencies = {
  readonly logger: Logger;
  readonly output: MergedOutput;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number;
};

/**
 * What requests make lives just a little longer than the default room for young objects lasts under load: with twice that
 * room a turn costs a tenth less CPU.
 */
const serviceFlags = ['--max-semi-space-size=32'];

/** The descriptor of a process in which it is handed its secrets; the ones before are as in `stdio`. */
const secretsIn = 4;

/** How a service process says why it could not start. */
const failedStart = /^(?:Failed to start \S+|stopgo): (.*)$/;

/**
 * A process that is started again whenever it ends, until it is stopped. It leads a process group of its own: a Ctrl-C in
 * the terminal is for us, and what it started can be ended with it. It notices by its closed channel when we are gone.
 */
export class Child {
  readonly name: string;
  readonly #spec: ChildSpec;
  readonly #given: ChildDependencies;
  #process: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #address: string | undefined;
  #startedAt = 0;
  #isStopping = false;
  #isReady = false;
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  #problems: string[] = [];

  constructor(spec: ChildSpec, given: ChildDependencies) {
    this.name = spec.name;
    this.#spec = spec;
    this.#given = given;
  }

  /** Where it listens: the same after each restart. */
  get address(): string {
    if (this.#address === undefined) throw new Error(`${this.name} has not said yet where it listens`);
    return this.#address;
  }

  /**
   * Starts it; resolves when it can work for the first time.
   *
   * @throws Error with the reason that it gave if it ends by itself before: starting it again would not help. The signal's
   * reason if that aborts.
   */
  start(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const aborted = (): void => reject(signal.reason);
      if (signal.aborted) return aborted();
      signal.addEventListener('abort', aborted, { once: true });
      const settled = (settle: () => void) => (): void => {
        signal.removeEventListener('abort', aborted);
        settle();
      };
      this.#launch({ ready: settled(resolve), failed: (reason) => settled(() => reject(new Error(reason)))() });
    });
  }

  /** Asks it to end and waits for it; ends it if it takes too long. It is not started again. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const running = this.#process;
    if (running === undefined) return;
    running.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#given.logger.error(`${this.name} did not stop within ${childStopMs} ms; it is ended`);
      this.kill();
    }, childStopMs);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends it and what it started, at once. It is not started again. */
  kill(): void {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    endGroup(this.#process?.pid);
  }

  #launch(first?: { readonly ready: () => void; readonly failed: (reason: string) => void }): void {
    const { output, stdout, stderr, now } = this.#given;
    const { name, onLine } = this.#spec;
    const child = spawn(process.execPath, [...process.execArgv, ...serviceFlags, ...this.#spec.args], {
      env: { ...this.#spec.env(this.#address), [handedOverIn]: String(secretsIn) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
      detached: true,
    });
    // One that has ended already needs none.
    (child.stdio[secretsIn] as Writable).on('error', () => undefined).end(handOver(this.#spec.secrets));
    this.#process = child;
    this.#isReady = false;
    this.#startedAt = now();
    this.#problems = [];
    const keepProblem = (line: string): string | undefined => {
      const problem = first === undefined || this.#isReady ? undefined : failedStart.exec(line)?.[1];
      if (problem === undefined) return onLine === undefined ? line : onLine(line);
      this.#problems.push(problem);
      return undefined;
    };
    if (child.stdout !== null) output.follow(name, child.stdout, stdout, onLine);
    if (child.stderr !== null) output.follow(name, child.stderr, stderr, keepProblem);
    child.on('message', (message) => {
      if (!isReadyMessage(message)) return;
      this.#address = message.address;
      this.#isReady = true;
      first?.ready();
    });
    this.#ended = new Promise((resolve) => {
      const ended = (how: string, byItself: boolean): void => {
        if (this.#process !== child) return;
        this.#process = undefined;
        resolve();
        if (this.#isStopping) return;
        if (first !== undefined && !this.#isReady && byItself) first.failed(this.#reason(how));
        else this.#startAgain(how, this.#isReady ? undefined : first);
      };
      child.once('error', (error) => ended(error.message, true));
      // What it has started would hold on to its ports, folders and pipes.
      child.once('exit', () => endGroup(child.pid));
      // Not `exit`: all that it printed has been read then.
      child.once('close', (code, signal) => {
        if (signal === null) ended(`exit code ${code}`, true);
        else ended(`signal ${signal}`, false);
      });
    });
  }

  #reason(how: string): string {
    return this.#problems.length > 0 ? this.#problems.join('\n') : `${this.name} ended (${how}) before it could work`;
  }

  #startAgain(
    how: string,
    first: { readonly ready: () => void; readonly failed: (reason: string) => void } | undefined,
  ): void {
    if (this.#given.now() - this.#startedAt >= restartResetMs) this.#failures = 0;
    const pauseMs = Math.min(restartMsMin * 2 ** this.#failures, restartMsMax);
    this.#failures += 1;
    this.#given.logger.warn(`${this.name} ended unexpectedly (${how}); it is started again in ${pauseMs} ms`);
    this.#restart = setTimeout(() => this.#launch(first), pauseMs);
  }
}

/** Ends a process and what it has started, as far as any of it is left. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group is gone.
  }
}

function isReadyMessage(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'ready';
}
