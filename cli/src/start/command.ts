import { randomUUID } from 'node:crypto';
import { formatDuration } from '@stopgo/core';
import {
  type AgentConfig,
  Alarms,
  createLogger,
  createRedactor,
  type NamedStop,
  runProcess,
  type Started,
  stopAll,
} from '@stopgo/runtime';
import { ownAlarms } from '../parts/alarms.ts';
import type { PartOptions } from '../parts/part.ts';
import { registerSecrets } from '../parts/secrets.ts';
import { checkSignIn } from '../parts/sign-in.ts';
import { webhooksOf } from '../parts/webhooks.ts';
import { checkPort } from './check-port.ts';
import { firstSteps, offlineModelOf, type StartFlags } from './demo.ts';
import { fasterNode } from './faster-node.ts';
import { startOneProcess } from './one-process.ts';
import { openInBrowser } from './open-in-browser.ts';
import { startConfig } from './start-config.ts';
import { addressHere, startWebHere, type WebApp, webAppBeside } from './web.ts';

/** How long a stop may take, in milliseconds: running requests finish first, then runs, then tools. */
const stopDeadlineMs = 30_000;

const millisecondsPerSecond = 1_000;

/** The port of the web app is nobody's promise: another one does, and is printed. */
const nextPort = { nextPort: true };

/** `stopgo start`: everything in this process, on the embedded log, until a signal ends it. */
export async function startCommand(flags: StartFlags, host: NodeJS.Process, version: string): Promise<void> {
  const { config, warnings } = startConfig(flags);
  const redactor = createRedactor();
  registerSecrets(redactor, config, host.env);
  const web = flags.web ? webAppBeside(config, host.env, redactor) : undefined;
  const alarms = new Alarms();
  const { logLevel: level, logFormat: format } = config;
  const logger = createLogger({ level, format, destination: host.stdout, redactor, alarms });
  for (const warning of warnings) logger.warn(warning);
  await runProcess({
    name: 'agent',
    logger,
    stopDeadlineMs,
    printFailure: (line) => host.stderr.write(`${redactor.redact(line)}\n`),
    process: host,
    start: (stopping) => start(config, flags, host, { logger, alarms, version, stopping, webApp: web }),
  });
}

async function start(
  config: AgentConfig,
  flags: StartFlags,
  host: NodeJS.Process,
  {
    logger,
    alarms,
    version,
    stopping,
    webApp,
  }: Pick<PartOptions, 'logger' | 'version'> & {
    readonly alarms: Alarms;
    readonly stopping: AbortSignal;
    readonly webApp: WebApp | undefined;
  },
): Promise<Started> {
  const { env } = host;
  logger.info(`Starting Agent Stop and Go API on ${config.host}:${config.port}`);
  checkSignIn({ config, env });
  // So that what is missing is said before anything is started.
  webhooksOf({ config, env });
  await checkPort(config.host, config.port);
  const parts: NamedStop[] = [];
  const own = ownAlarms('platform', `platform-${randomUUID()}`, alarms);
  try {
    const offline = await offlineModelOf(config, flags, env, logger);
    if (offline !== undefined) parts.push({ name: 'offline model', stop: offline.stop });
    const options = {
      config,
      env,
      logger,
      version,
      stopping,
      ...(offline === undefined ? {} : { offlineModel: offline.url }),
      gateway: { alarms: async () => [own] },
    };
    const started = await startOneProcess(options);
    parts.push({ name: 'platform', stop: started.stop });
    const web =
      webApp === undefined
        ? undefined
        : await startWebHere(
            { ...webApp, config: { ...webApp.config, agentUrl: addressHere(started.address, config) } },
            logger,
            nextPort,
          );
    if (web !== undefined) parts.push({ name: 'web app', stop: web.stop });
    logger.info(
      `ready on ${started.address} after ${formatDuration(Math.round(host.uptime() * millisecondsPerSecond))} (answers within ${formatDuration(config.syncWaitMs)}, data in ${config.dataDir})`,
    );
    if (web !== undefined) logger.info(`the web app is at ${web.address}`);
    const faster = fasterNode(host.versions.node);
    if (faster !== undefined) logger.info(faster);
    if (flags.demo) host.stdout.write(`\n${firstSteps(started.address, flags, config)}\n\n`);
    if (web !== undefined && flags.open) openInBrowser(web.address, host.platform, env);
    return { address: started.address, stop: () => stopAll(parts) };
  } catch (error) {
    await stopAll(parts).catch((problem: unknown) => logger.warn(String(problem)));
    throw error;
  }
}
