import { readFileSync } from 'node:fs';
import { startOneProcess } from '@stopgo/cli';
import { DomainError } from '@stopgo/core';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';
import { start, type Workplace } from './platform.ts';
import { processesOf } from './processes.ts';
import { topology } from './topology.ts';

/** A platform whose registry can be taken away while everything else goes on. */
export type WithoutRegistry = {
  readonly url: string;
  /** From now on the registry answers nobody. */
  takeAway(): void;
  /** It is there again: where it is a process of its own, as a new one. */
  bringBack(): void;
  discard(): Promise<void>;
};

/** Starts it, in one process over the embedded log, or each service as a process of its own over NATS. */
export function startWithRegistry(
  place: Workplace,
  yaml: string,
  env: Readonly<Record<string, string>>,
): Promise<WithoutRegistry> {
  return topology === 'services' ? asServices(place, yaml, env) : inOneProcess(yaml, env);
}

async function asServices(
  place: Workplace,
  yaml: string,
  env: Readonly<Record<string, string>>,
): Promise<WithoutRegistry> {
  const { url, discard } = await start(place, yaml, { env });
  const signal = (name: NodeJS.Signals): void => {
    const pids = processesOf(place.folder).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('service\0registry'),
    );
    if (pids.length === 0) throw new Error('there is no process of a registry');
    for (const pid of pids) process.kill(pid, name);
  };
  // Frozen: the launcher would start a killed one at once. It does so when that is what is wanted.
  return { url, discard, takeAway: () => signal('SIGSTOP'), bringBack: () => signal('SIGKILL') };
}

async function inOneProcess(yaml: string, env: Readonly<Record<string, string>>): Promise<WithoutRegistry> {
  let isAway = false;
  const { address: url, stop } = await startOneProcess({
    config: parseAgentConfig(yaml, 'agent.yaml').config,
    env: { PATH: process.env.PATH, ...env },
    logger: createLogger({ level: 'error', format: 'text', destination: { write: () => true } }),
    version: 'test',
    intercept: {
      registry: (client) =>
        new Proxy(client, {
          get(target, name, receiver) {
            const method: unknown = Reflect.get(target, name, receiver);
            if (!isAway || typeof method !== 'function') return method;
            return () => Promise.reject(new DomainError('unavailable', 'the registry is away'));
          },
        }),
    },
  });
  const be = (away: boolean) => () => {
    isAway = away;
  };
  return { url, discard: stop, takeAway: be(true), bringBack: be(false) };
}
