import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createModels } from '@stopgo/orchestrator';
import {
  type AgentConfig,
  createLogger,
  createRedactor,
  formatDuration,
  type Logger,
  loadAgentConfig,
  type NamedStop,
  runProcess,
  type Started,
  stopAll,
} from '@stopgo/runtime';
import { agentDefinition, modelsOf } from '../parts/agent-definition.ts';
import { registerSecrets } from '../parts/secrets.ts';
import { defaultConfigPath } from './default-config.ts';
import { startOfflineModelProcess } from './offline-model.ts';
import { startOneProcess } from './one-process.ts';

export type StartFlags = { readonly config?: string; readonly demo: boolean };

/** How long a stop may take, in milliseconds: running requests finish first, then runs, then tools. */
const stopDeadlineMs = 30_000;

const millisecondsPerSecond = 1_000;

/** `stopgo start`: everything in this process, on the embedded log, until a signal ends it. */
export async function startCommand(flags: StartFlags, host: NodeJS.Process, version: string): Promise<void> {
  const { config, warnings } = loadAgentConfig(flags.config ?? defaultConfigPath, {
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  const redactor = createRedactor();
  registerSecrets(redactor, config, host.env);
  const logger = createLogger({ level: config.logLevel, format: config.logFormat, destination: host.stdout, redactor });
  for (const warning of warnings) logger.warn(warning);
  await runProcess({
    name: 'agent',
    logger,
    stopDeadlineMs,
    printFailure: (line) => host.stderr.write(`${redactor.redact(line)}\n`),
    process: host,
    start: () => start(config, flags, host, logger, version),
  });
}

async function start(
  config: AgentConfig,
  flags: StartFlags,
  host: NodeJS.Process,
  logger: Logger,
  version: string,
): Promise<Started> {
  const { env } = host;
  logger.info(`Starting Agent Stop and Go API on ${config.host}:${config.port}`);
  await checkPort(config.host, config.port);
  const parts: NamedStop[] = [];
  try {
    let offlineModel: string | undefined;
    if (wantsOfflineModel(config, flags, env)) {
      const offline = await startOfflineModelProcess();
      parts.push({ name: 'offline model', stop: offline.stop });
      offlineModel = offline.url;
      logger.info(
        `no API key is set: every answer comes from the bundled offline model (${offline.url}), which follows simple rules`,
      );
    } else if (flags.demo && lacksKey(config, env))
      logger.warn(
        'the offline model is for the shipped configuration on this machine: without --config, and with a loopback host',
      );
    const options = { config, env, logger, version, ...(offlineModel === undefined ? {} : { offlineModel }) };
    const started = await startOneProcess(options);
    parts.push({ name: 'platform', stop: started.stop });
    logger.info(
      `ready on ${started.address} after ${formatDuration(Math.round(host.uptime() * millisecondsPerSecond))} (answers within ${formatDuration(config.syncWaitMs)}, data in ${config.dataDir})`,
    );
    if (flags.demo) host.stdout.write(`\n${firstSteps(started.address)}\n\n`);
    return { address: started.address, stop: () => stopAll(parts) };
  } catch (error) {
    await stopAll(parts).catch((problem: unknown) => logger.warn(String(problem)));
    throw error;
  }
}

/** Only a demo on this machine, with the shipped configuration and without the key it needs, gets the offline model. */
function wantsOfflineModel(
  config: AgentConfig,
  flags: StartFlags,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const isLoopback = ['127.0.0.1', 'localhost', '::1'].includes(config.host);
  return flags.demo && flags.config === undefined && isLoopback && lacksKey(config, env);
}

/** True if the key of a configured model is missing. */
function lacksKey(config: AgentConfig, env: Readonly<Record<string, string | undefined>>): boolean {
  const problems = createModels({ env }).check(modelsOf(agentDefinition(config)));
  return problems.some((problem) => problem.includes('environment variable not set'));
}

/** Told before anything is started: a port that somebody listens on. */
function checkPort(host: string, port: number): Promise<void> {
  if (port === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'the port is in use; stop what listens there, or set another "port"'
          : error.message;
      reject(new Error(`cannot listen on ${host}:${port}: ${why}`));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

function firstSteps(address: string): string {
  return `Paste this next; the answer says what waits for you:\n\n  curl -s ${address}/conversations -d '{"message":"create a server my-test with value 42"}'`;
}
