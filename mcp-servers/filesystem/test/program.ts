import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeArguments } from '../../../tests/node-arguments.ts';

/** How to run the program. */
export const COMMAND = process.execPath;
export const CWD = fileURLToPath(new URL('..', import.meta.url));
export const BASE_ARGS = nodeArguments(join(CWD, 'src', 'main.ts'));

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'mcp-filesystem-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Program {
  readonly child: ChildProcess;
  /** Everything written so far. */
  readonly output: { stdout: string; stderr: string };
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

const started = new Set<ChildProcess>();

/** Ends what a failed test left running. */
export function killStarted(): void {
  for (const child of started) child.kill('SIGKILL');
}

export function run(args: readonly string[], environment: Record<string, string> = {}): Program {
  const child = spawn(COMMAND, [...BASE_ARGS, ...args], { cwd: CWD, env: { ...process.env, ...environment } });
  started.add(child);
  child.once('close', () => started.delete(child));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, output, ended };
}

/** Starts the program on a free port of the loopback and waits until it says where it listens. */
export async function runHttp(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Program & { readonly url: URL }> {
  const program = run(args, environment);
  const url = await new Promise<URL>((resolve, reject) => {
    program.child.stderr?.on('data', () => {
      const found = /"msg":"serving","address":"([^"]+)"/u.exec(program.output.stderr)?.[1];
      if (found !== undefined) resolve(new URL(found));
    });
    program.ended.then((code) => reject(new Error(`ended with ${code}: ${program.output.stderr}`)), reject);
  });
  return { ...program, url };
}
