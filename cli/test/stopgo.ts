import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { nodeArguments } from '../../tests/node-arguments.ts';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a command as a process of its own. */
export async function stopgo(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [...nodeArguments(main), ...args], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output, errors };
}
