import { createLogger, createRedactor, runProcess } from '@stopgo/runtime';
import { secretsOfNatsUrl } from '@stopgo/store/nats';
import { registerSecrets } from '../../parts/secrets.ts';
import type { StartFlags } from '../../start/demo.ts';
import { defaultConfigPath, startConfig } from '../../start/start-config.ts';
import { launcherStopMs } from '../bounds.ts';
import { startLauncher } from './launcher.ts';
import { readLauncherEnvironment } from './launcher-environment.ts';
import { MergedOutput } from './merged-output.ts';
import { parseReplicas } from './replicas.ts';

export type ServicesFlags = StartFlags & { readonly replicas?: string | undefined };

/** `stopgo services`: each service as processes of their own, started again when they end, until a signal ends all. */
export async function servicesCommand(flags: ServicesFlags, host: NodeJS.Process): Promise<void> {
  const replicas = parseReplicas(flags.replicas);
  const environment = readLauncherEnvironment(host.env);
  const configPath = flags.config ?? defaultConfigPath;
  const { config, warnings } = startConfig(flags);
  const redactor = createRedactor();
  registerSecrets(redactor, config, host.env);
  redactor.registerSecret(environment.internalToken.reveal());
  for (const secret of secretsOfNatsUrl(environment.nats?.url ?? '')) redactor.registerSecret(secret);
  const logger = createLogger({ level: config.logLevel, format: config.logFormat, destination: host.stdout, redactor });
  for (const warning of warnings) logger.warn(warning);
  const output = new MergedOutput({ format: config.logFormat, redactor, now: () => new Date() });
  const options = { config, configPath, environment, flags, replicas, host, logger, redactor, output };
  await runProcess({
    name: 'agent',
    logger,
    stopDeadlineMs: launcherStopMs,
    printFailure: (line) => host.stderr.write(`${redactor.redact(line)}\n`),
    process: host,
    start: (stopping) => startLauncher({ ...options, stopping }),
  });
}
