import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { reportOf, runCommand } from '@stopgo/cli';

/** A `stopgo` command that runs on in the process of its test. */
export type CommandHere = {
  /** Everything that it has printed so far, and its part of that on the error output. */
  output(): string;
  errors(): string;
  /** Asks it to end, as a signal from outside would. */
  signal(signal: 'SIGTERM' | 'SIGINT'): void;
  /** Resolves with its exit code. */
  readonly exited: Promise<number>;
};

/**
 * Starts a command in this process: loading the platform costs a process two seconds of CPU time, and this one has it loaded.
 * What it does not show is what becomes of a process that is killed.
 */
export function launchHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onOutput: (printed: string) => void,
): CommandHere {
  const written = { all: '', errors: '' };
  const into = (isErrors: boolean): Writable =>
    new Writable({
      decodeStrings: false,
      write: (text, _, done) => {
        written.all += String(text);
        if (isErrors) written.errors += String(text);
        onOutput(written.all);
        done();
      },
    });
  const began = performance.now();
  let exit: (code: number) => void = () => undefined;
  const exited = new Promise<number>((resolve) => {
    exit = resolve;
  });
  const signals = new EventEmitter();
  // What a command that runs on uses of its process.
  const parts = {
    ...{ stdin: {}, stdout: into(false), stderr: into(true), env, exitCode: undefined, versions: process.versions },
    uptime: () => (performance.now() - began) / 1_000,
    exit: (code: number) => exit(code),
  };
  const host = Object.assign(signals, parts) as unknown as NodeJS.Process;
  runCommand(args, host).catch((error: unknown) => {
    host.stderr.write(`${reportOf(error)}\n`);
    exit(1);
  });
  return {
    output: () => written.all,
    errors: () => written.errors,
    signal: (signal) => void signals.emit(signal),
    exited,
  };
}
