import { Writable } from 'node:stream';
import { reportOf, runCommand } from '../src/commands.ts';

/**
 * Runs a command in this process, for commands that only read and print. What `stopgo` of `stopgo.ts` gives, without the second
 * that a process takes to load the sources.
 */
export async function stopgoInProcess(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const written = { output: '', errors: '' };
  const into = (stream: keyof typeof written): Writable =>
    new Writable({
      decodeStrings: false,
      write: (text, _, done) => {
        written[stream] += String(text);
        done();
      },
    });
  // The commands use nothing else of a process.
  const host = { stdout: into('output'), stderr: into('errors'), env } as unknown as NodeJS.Process;
  let code = 0;
  try {
    await runCommand(args, host);
  } catch (error) {
    host.stderr.write(`${reportOf(error)}\n`);
    code = 1;
  }
  return { code, ...written };
}
