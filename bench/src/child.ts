import { type ChildProcess, spawn } from 'node:child_process';

/** How long a process is given to become ready and to end, in milliseconds. */
const readyMs = 30_000;
const endMs = 10_000;

/** A process of the bench that is ready. */
export type ReadyChild = {
  readonly pid: number;
  /** What the process said: the first group of the pattern. */
  readonly said: string;
  /** Milliseconds from the start to that line. */
  readonly readyMs: number;
  /** Asks it to end, and ends it if it does not. */
  stop(): Promise<void>;
  /** All that it has printed, if it was started to be listened to; else up to the line that said that it is ready. */
  output(): string;
};

/** Everything that was started and has not ended: whatever happens to the bench, nothing of it is left behind. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a Node program and waits for the line that says it is ready. Rejects with its last output if it ends before.
 * `listening`: what it prints later is kept too.
 */
export function startNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
  listening = false,
): Promise<ReadyChild> {
  const began = performance.now();
  const child = spawn(process.execPath, [...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return new Promise((resolve, reject) => {
    let output = '';
    const failed = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${args.join(' ')}: ${why}\n${output.slice(-2_000)}`));
    };
    const timer = setTimeout(() => failed(`not ready within ${readyMs} ms`), readyMs);
    let isReady = false;
    const read = (chunk: string): void => {
      output += chunk;
      if (isReady) return;
      const said = ready.exec(output)?.[1];
      if (said === undefined || child.pid === undefined) return;
      clearTimeout(timer);
      isReady = true;
      if (!listening) for (const stream of [child.stdout, child.stderr]) stream?.off('data', read).resume();
      const { pid } = child;
      resolve({
        pid,
        said,
        readyMs: performance.now() - began,
        stop: () => end(child),
        output: () => output,
      });
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    child.stderr?.setEncoding('utf8').on('data', read);
    child.once('error', (error) => failed(error.message));
    child.once('exit', (code) => failed(`ended with exit code ${code}`));
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
