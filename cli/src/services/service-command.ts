import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  Alarms,
  createLogger,
  createRedactor,
  loadAgentConfig,
  messageOf,
  runProcess,
  type Started,
} from '@stopgo/runtime';
import { registerSecrets } from '../parts/secrets.ts';
import { serviceStopMs } from './bounds.ts';
import { readServiceEnvironment, type ServiceEnvironment } from './environment.ts';
import { isServiceName, type ServiceName, serviceNames } from './names.ts';
import type { ReadyMessage } from './ready-message.ts';
import { ServiceProcess } from './service-process.ts';

const readFile = (path: string): string => readFileSync(path, 'utf8');

/** `stopgo service NAME`: one service as this process, until a signal or the end of its parent ends it. */
export async function serviceCommand(
  name: string,
  configPath: string,
  host: NodeJS.Process,
  version: string,
): Promise<void> {
  if (!isServiceName(name))
    throw new Error(`there is no service "${name}"; the services are ${serviceNames.join(', ')}`);
  const { config, warnings } = loadAgentConfig(configPath, { readFile });
  const environment = environmentOf(name, host.env);
  // Without it whoever reaches a service's port would be believed to be anybody.
  if (config.auth !== undefined && environment.internalToken === undefined)
    throw new Error(
      `auth is set, and the service ${name} has no token by which services know each other: set STOPGO_INTERNAL_TOKEN or STOPGO_INTERNAL_TOKEN_FILE for all of them`,
    );
  const redactor = createRedactor();
  registerSecrets(redactor, config, host.env);
  for (const secret of await secretsOf(environment)) redactor.registerSecret(secret);
  const alarms = new Alarms();
  const { logLevel: level, logFormat: format } = config;
  const logger = createLogger({ level, format, destination: host.stdout, redactor, alarms });
  // A launcher has said them once for all.
  if (host.send === undefined) for (const warning of warnings) logger.warn(warning);
  await runProcess({
    name,
    logger,
    stopDeadlineMs: serviceStopMs,
    printFailure: (line) => host.stderr.write(`${redactor.redact(line)}\n`),
    process: host,
    ...(name === 'store' ? { isHarmless: (await import('@stopgo/store/nats')).isLeftUnhandledByNats } : {}),
    start: async (stopping) => {
      const instance = `${name}-${randomUUID()}`;
      const options = { config, env: host.env, logger, version, environment, name, instance, alarms, stopping };
      const { address, stop } = await start(name, new ServiceProcess(options));
      logger.info(`ready on ${address}`);
      const ready: ReadyMessage = { kind: 'ready', address, instance };
      host.send?.(ready);
      return { address, stop };
    },
  });
}

/** All that is wrong, each with the name of the program before it, as it is printed. */
function environmentOf(name: ServiceName, env: NodeJS.ProcessEnv): ServiceEnvironment {
  try {
    return readServiceEnvironment(name, env, readFile);
  } catch (error) {
    throw new Error(messageOf(error).replaceAll('\n', '\nstopgo: '));
  }
}

async function secretsOf({ internalToken, pushKey, accountKey, nats }: ServiceEnvironment): Promise<readonly string[]> {
  const own = [internalToken, pushKey, accountKey].flatMap((secret) => (secret === undefined ? [] : [secret.reveal()]));
  if (nats === undefined) return own;
  const { secretsOfNatsUrl } = await import('@stopgo/store/nats');
  return [...own, ...secretsOfNatsUrl(nats.url)];
}

async function start(name: ServiceName, process: ServiceProcess): Promise<Started> {
  try {
    return await startNamed(name, process);
  } catch (error) {
    await process.giveUp();
    process.options.stopping.throwIfAborted();
    throw error;
  }
}

/** Each is loaded where it runs only: the models' and tools' code is no business of the others. */
async function startNamed(name: ServiceName, process: ServiceProcess): Promise<Started> {
  switch (name) {
    case 'store':
      return (await import('./roots/store.ts')).startStoreService(process);
    case 'mcp-bridge':
      return (await import('./roots/mcp-bridge.ts')).startBridgeService(process);
    case 'orchestrator':
      return (await import('./roots/orchestrator.ts')).startOrchestratorService(process);
    case 'approvals':
      return (await import('./roots/approvals.ts')).startApprovalsService(process);
    case 'registry':
      return (await import('./roots/registry.ts')).startRegistryService(process);
    case 'gateway':
      return (await import('./roots/gateway.ts')).startGatewayService(process);
  }
}
