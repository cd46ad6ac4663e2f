import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./replica.process.ts', import.meta.url));

/** A replica of the echo service as a process of its own, that can be killed and frozen. */
export type Replica = {
  readonly address: string;
  /** What its answers begin with. */
  readonly pid: string;
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
};

/** Starts a replica; `address` for one that comes back. */
export async function startReplica(address = '127.0.0.1:0'): Promise<Replica> {
  const child: ChildProcess = fork(program, [address], { execArgv: ['--import', 'tsx', '--conditions=stopgo-source'] });
  const ended = once(child, 'exit');
  const [listening] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`the replica at ${address} did not start`))),
  ])) as [string];
  return { address: listening, pid: String(child.pid), signal: (signal) => void child.kill(signal), ended };
}
