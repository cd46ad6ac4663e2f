import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The folder of docker-compose.yaml. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Lines of its output that the error about a program shows. */
const linesShown = 30;

/** A program that ended: its exit code, its standard output, and that together with its error output. */
export type Ended = { readonly code: number; readonly stdout: string; readonly output: string };

export type RunOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Ends the program when it is aborted. */
  readonly signal?: AbortSignal;
};

/** Runs a program to its end. Not found, or killed, is a code that is not 0. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A Ctrl-C in the terminal is for us: what takes the containers down must not be hit by it.
      detached: true,
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    let stdout = '';
    let output = '';
    child.stdout.on('data', (text: string) => {
      stdout += text;
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.once('error', (error) => resolve({ code: 127, stdout, output: `${output}${command}: ${error.message}` }));
    child.once('close', (code) => resolve({ code: code ?? 1, stdout, output }));
  });
}

/** As {@link run}, for what must work: gives its standard output. */
export async function mustRun(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, output } = await run(command, args, options);
  if (code === 0) return stdout;
  const end = output.trim().split('\n').slice(-linesShown).join('\n');
  throw new Error(`${command} ${args.join(' ')} ended with exit code ${code}:\n${end}`);
}
