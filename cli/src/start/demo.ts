import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentConfig, Logger } from '@stopgo/runtime';
import { isLoopback } from '@stopgo/security';
import { modelProblems } from '../parts/models.ts';
import { setupKeyIn } from '../parts/setup-key.ts';
import { checkHttpUrl } from '../services/environment.ts';
import { shellWord } from '../shown.ts';
import { type OfflineModelProcess, startOfflineModelProcess } from './offline-model.ts';

export type StartFlags = {
  readonly config?: string | undefined;
  readonly demo: boolean;
  /** Wins over the one of the configuration. */
  readonly port?: number;
  /** Starts the web app too. */
  readonly web?: boolean;
  /** Opens it in a browser. */
  readonly open?: boolean;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Where an offline model runs that answers in place of every provider. */
const offlineVariable = 'STOPGO_OFFLINE_MODEL';

/**
 * The offline model that a start is to have: the one that the environment names, else one that is started here. That is only
 * done for a demo on this machine, of an agent that lacks a key. It answers for every model of the agent then. Says so, says
 * why not where a demo was asked for, and how to have one where a key is missing.
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
  if (!lacksKey(config, env)) return undefined;
  if (!flags.demo) {
    logger.info(
      'an API key is missing; to try this agent without one, add --demo: the bundled offline model answers then',
    );
    return undefined;
  }
  if (!isLoopback(config.host)) {
    logger.warn(
      `the offline model answers on this machine only, and host is ${config.host}: set a key, or host: 127.0.0.1`,
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

/**
 * What a demo prints once it is ready: something that waits for an approval, where the agent is the shipped one. Where people sign in, with the key
 * of whoever pastes it, and before it how the first user comes by one.
 */
export function firstSteps(
  address: string,
  { config }: Pick<StartFlags, 'config'>,
  { auth, dataDir }: Pick<AgentConfig, 'auth' | 'dataDir'>,
): string {
  const [told, message] =
    config === undefined
      ? ['the answer says what waits for you', 'create a server my-test with value 42']
      : ['GET /tools shows what your agent can do', 'hello'];
  const talk = (headers: string) => `  curl -s ${address}/conversations${headers} -d '{"message":"${message}"}'`;
  if (auth === undefined) return `Paste this next; ${told}:\n\n${talk('')}`;
  const withKey = talk(' -H "X-API-Key: $STOPGO_API_KEY"');
  const setupKey = setupKeyIn(dataDir);
  if (!existsSync(setupKey))
    return `Paste this next, with an API key of yours in STOPGO_API_KEY; ${told}:\n\n${withKey}`;
  return [
    'No SUPER_ADMIN has signed in yet. Put the API key of yours into STOPGO_API_KEY; or make yourself the first user, and put the "text" of the key that is answered there:',
    '',
    `  curl -s ${address}/users -H "X-API-Key: $(cat ${shellWord(resolve(setupKey))})" -d '{"email":"you@example.com","name":"You"}'`,
    '  export STOPGO_API_KEY=sgo_...',
    '',
    `Paste this next; ${told}:`,
    '',
    withKey,
  ].join('\n');
}

/** True if the key of a configured model is missing. */
function lacksKey(config: AgentConfig, env: Variables): boolean {
  return modelProblems({ config, env }).some((problem) => problem.includes('environment variable not set'));
}
