import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { harmlessOf } from '../parts/harmless-environment.ts';

/** How long the offline model is given to say where it listens, in milliseconds. */
const startMs = 10_000;

/** A running offline model. */
export type OfflineModelProcess = { readonly url: string; stop(): Promise<void> };

/** Starts the bundled offline model as a process of its own. It ends with this process, however that ends. */
export async function startOfflineModelProcess(): Promise<OfflineModelProcess> {
  const index = fileURLToPath(import.meta.resolve('@stopgo/offline-model'));
  const main = index.replace(/index\.(ts|js)$/, 'main.$1');
  const child = spawn(process.execPath, [...process.execArgv, main, '--port', '0', '--exit-with-stdin'], {
    env: harmlessOf(process.env),
    stdio: ['pipe', 'pipe', 'inherit'],
    // A Ctrl-C in the terminal is for us; we end the model when the last run is done with it.
    detached: true,
  });
  try {
    return { url: await urlOf(child), stop: () => end(child) };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the offline model did not start within ${startMs} ms`)), startMs);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the offline model ended at once (exit code ${code})`)));
    if (child.stdout === null) return reject(new Error('the offline model has no output'));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /listening on (http:\S+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
