import type { AgentConfig, Logger } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { modelProblems } from '../parts/models.ts';
import { checkHttpUrl } from '../services/environment.ts';
import { type OfflineModelProcess, startOfflineModelProcess } from './offline-model.ts';

export type StartFlags = { readonly config?: string; readonly demo: boolean };

type Variables = Readonly<Record<string, string | undefined>>;

/** Where an offline model runs that answers in place of every provider. */
const offlineVariable = 'STOPGO_OFFLINE_MODEL';

/**
 * The offline model that a start is to have: the one that the environment names, else one that is started here. That is only
 * done for a demo on this machine, with the shipped configuration and without the key it needs. Says so, and says why not
 * where a demo was asked for.
 *
 * @throws Error if the environment names no address.
 */
export async function offlineModelOf(
  config: AgentConfig,
  flags: StartFlags,
  env: Variables,
  logger: Logger,
): Promise<OfflineModelProcess | undefined> {
  const named = env[offlineVariable]?.trim() ?? '';
  if (named !== '') return alreadyRunning(named, logger);
  if (!flags.demo || !lacksKey(config, env)) return undefined;
  if (flags.config !== undefined || !isLoopback(config.host)) {
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

function alreadyRunning(url: string, logger: Logger): OfflineModelProcess {
  try {
    checkHttpUrl(url);
  } catch (error) {
    throw new Error(`${offlineVariable}: ${error instanceof Error ? error.message : String(error)}`);
  }
  logger.info(`every answer comes from the offline model at ${new URL(url).host}, which follows simple rules`);
  return { url, stop: async () => undefined };
}

/** What a demo prints once it is ready. */
export function firstSteps(address: string): string {
  return `Paste this next; the answer says what waits for you:\n\n  curl -s ${address}/conversations -d '{"message":"create a server my-test with value 42"}'`;
}

/** True if the key of a configured model is missing. */
function lacksKey(config: AgentConfig, env: Variables): boolean {
  return modelProblems({ config, env }).some((problem) => problem.includes('environment variable not set'));
}
