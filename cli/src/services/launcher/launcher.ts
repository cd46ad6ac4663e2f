import { resolve } from 'node:path';
import { formatDuration } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import {
  type AgentConfig,
  createLogger,
  type Logger,
  messageOf,
  type NamedStop,
  type Redactor,
  type Started,
  stopAll,
} from '@stopgo/runtime';
import { lockForServices } from '@stopgo/store';
import { sendsLinks } from '../../parts/links.ts';
import { checkModels } from '../../parts/models.ts';
import { pushKeyOf } from '../../parts/push-key.ts';
import { hasRegistry } from '../../parts/registry.ts';
import { checkSignIn } from '../../parts/sign-in.ts';
import { webhooksOf } from '../../parts/webhooks.ts';
import { checkPort } from '../../start/check-port.ts';
import { firstSteps, offlineModelOf, type StartFlags } from '../../start/demo.ts';
import { serviceNames } from '../names.ts';
import { checkToolServers } from './check-tool-servers.ts';
import { environmentFor } from './child-environment.ts';
import { Family } from './family.ts';
import { freePorts } from './free-ports.ts';
import type { LauncherEnvironment } from './launcher-environment.ts';
import { endLeftovers, launchedFor } from './leftovers.ts';
import type { MergedOutput } from './merged-output.ts';
import { findNatsServer } from './nats/find-server.ts';
import { natsPassword, ownNats } from './nats/own-nats.ts';
import { logServerLine } from './nats/server-log.ts';
import type { Replicas } from './replicas.ts';
import { serviceSpec } from './service-specs.ts';

export type LauncherOptions = {
  readonly config: AgentConfig;
  readonly configPath: string;
  readonly environment: LauncherEnvironment;
  readonly flags: StartFlags;
  readonly replicas: Replicas;
  readonly host: NodeJS.Process;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly output: MergedOutput;
  /** Aborts when all is to end, also during the start. */
  readonly stopping: AbortSignal;
};

const millisecondsPerSecond = 1_000;

/**
 * Starts everything, one kind of service after the other, each when those that it calls can work. All or nothing: what was
 * started before a failure is stopped again. It ends in the reverse order.
 *
 * @throws Error in one line that says what is wrong; the stop signal's reason if that aborts meanwhile.
 */
export async function startLauncher(options: LauncherOptions): Promise<Started> {
  const parts: NamedStop[] = [];
  try {
    return await startParts(options, parts);
  } catch (error) {
    await stopAll(parts).catch((problem: unknown) => options.logger.warn(messageOf(problem)));
    options.stopping.throwIfAborted();
    throw error;
  }
}

async function startParts(options: LauncherOptions, parts: NamedStop[]): Promise<Started> {
  const { config, configPath, environment, flags, replicas, host, logger, output, stopping } = options;
  const { env } = host;
  logger.info(`Starting Agent Stop and Go API on ${config.host}:${config.port}`);
  checkToolServers(config, replicas['mcp-bridge']);
  checkSignIn({ config, env });
  // So that what is missing is said before anything is started.
  webhooksOf({ config, env });
  const natsProgram = environment.nats === undefined ? findNatsServer(env) : undefined;
  const dataDir = resolve(config.dataDir);
  const lock = lockForServices(config.dataDir);
  parts.push({ name: 'data directory', stop: async () => lock.unlock() });
  await endLeftovers(dataDir, logger, stopping);
  await checkPort(config.host, config.port);
  const offline = await offlineModelOf(config, flags, env, logger);
  if (offline !== undefined) parts.push({ name: 'offline model', stop: offline.stop });
  const model = offline === undefined ? {} : { offlineModel: offline.url };
  checkModels({ config, env, ...model });

  const { stdout, stderr } = host;
  const family = new Family({ logger, output, stdout, stderr, now: systemClock.monotonic }, host);
  parts.push(family.part());
  const nats = environment.nats ?? (await startNats(natsProgram ?? '', dataDir, family, options));
  const pushKey = environment.pushKey ?? pushKeyOf(dataDir);
  options.redactor.registerSecret(pushKey.reveal());
  const specs = {
    config,
    configPath,
    dataDir,
    program: host.argv[1] ?? '',
    env,
    internalToken: environment.internalToken,
    pushKey,
    nats,
    ...model,
    addressesOf: (service: string) => family.addressesOf(service),
    // Orchestrators call it for links, and are started before it.
    reserved: sendsLinks(config) ? { approvals: await freeAddresses(replicas.approvals) } : {},
  };
  for (const service of serviceNames) {
    if (service === 'registry' && !hasRegistry(config)) continue;
    const numbers = Array.from({ length: replicas[service] }, (_, index) => index + 1);
    await family.start(
      service,
      numbers.map((number) => serviceSpec(service, number, specs)),
      stopping,
    );
  }
  const [address = ''] = family.addressesOf('gateway');
  logger.info(
    `ready on ${address} after ${formatDuration(Math.round(host.uptime() * millisecondsPerSecond))} (answers within ${formatDuration(config.syncWaitMs)}, data in ${config.dataDir})`,
  );
  if (flags.demo) host.stdout.write(`\n${firstSteps(address, flags, { ...config, dataDir })}\n\n`);
  return { address, stop: () => stopAll(parts) };
}

const freeAddresses = async (count: number): Promise<readonly string[]> =>
  (await freePorts(count)).map((port) => `127.0.0.1:${port}`);

async function startNats(
  program: string,
  dataDir: string,
  family: Family,
  { config, environment, host, redactor, output, stopping }: LauncherOptions,
): Promise<{ readonly url: string; readonly monitorUrl: string }> {
  const env = { ...environmentFor('nats', host.env), [launchedFor]: dataDir };
  const nats = await ownNats(program, dataDir, natsPassword(environment.internalToken), env);
  redactor.registerSecret(nats.password);
  const log = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    redactor,
    destination: { write: (line) => output.line('nats', line.trimEnd(), host.stdout) },
  });
  const onLine = (line: string): undefined => void logServerLine(line, log);
  await family.start('nats', [{ ...nats.spec, onLine }], stopping);
  return nats;
}
