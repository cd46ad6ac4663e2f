import type { AgentConfig, Logger } from '@stopgo/runtime';
import { modelProblems } from '../parts/models.ts';
import { type OfflineModelProcess, startOfflineModelProcess } from './offline-model.ts';

export type StartFlags = { readonly config?: string; readonly demo: boolean };

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Starts the offline model where a start is to have it: only a demo on this machine, with the shipped configuration and
 * without the key it needs. Says so, and says why not where a demo was asked for.
 */
export async function offlineModelOf(
  config: AgentConfig,
  flags: StartFlags,
  env: Variables,
  logger: Logger,
): Promise<OfflineModelProcess | undefined> {
  if (!flags.demo || !lacksKey(config, env)) return undefined;
  const isLoopback = ['127.0.0.1', 'localhost', '::1'].includes(config.host);
  if (flags.config !== undefined || !isLoopback) {
    logger.warn(
      'the offline model is for the shipped configuration on this machine: without --config, and with a loopback host',
    );
    return undefined;
  }
  const offline = await startOfflineModelProcess();
  logger.info(
    `no API key is set: every answer comes from the bundled offline model (${offline.url}), which follows simple rules`,
  );
  return offline;
}

/** What a demo prints once it is ready. */
export function firstSteps(address: string): string {
  return `Paste this next; the answer says what waits for you:\n\n  curl -s ${address}/conversations -d '{"message":"create a server my-test with value 42"}'`;
}

/** True if the key of a configured model is missing. */
function lacksKey(config: AgentConfig, env: Variables): boolean {
  return modelProblems({ config, env }).some((problem) => problem.includes('environment variable not set'));
}
