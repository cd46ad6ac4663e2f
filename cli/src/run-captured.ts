import { Readable, Writable } from 'node:stream';
import { reportOf, runCommand } from './commands.ts';

/** What a command wrote, and the exit code of the program that runs it. */
export type Captured = { readonly code: number; readonly output: string; readonly errors: string };

/**
 * Runs a command that ends by itself in this process, with nobody at its terminal and `input` in its pipe, and gives what it wrote.
 * Such a command takes half a second less than as a process.
 */
export async function runCaptured(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Captured> {
  const written = { output: '', errors: '' };
  const into = (stream: keyof typeof written): Writable =>
    new Writable({
      decodeStrings: false,
      write: (text, _, done) => {
        written[stream] += String(text);
        done();
      },
    });
  // Commands that end by themselves use nothing else of a process.
  const parts = {
    stdin: Readable.from([input]),
    stdout: into('output'),
    stderr: into('errors'),
    env,
    exitCode: undefined,
  };
  const host = parts as unknown as NodeJS.Process;
  try {
    await runCommand(args, host);
  } catch (error) {
    host.stderr.write(`${reportOf(error)}\n`);
    host.exitCode = 1;
  }
  return { code: Number(host.exitCode ?? 0), ...written };
}
