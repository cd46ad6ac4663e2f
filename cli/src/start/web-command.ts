import { readFileSync } from 'node:fs';
import { createLogger, createRedactor, runProcess } from '@stopgo/runtime';
import { loadWebConfig } from '@stopgo/web';
import { startWebHere } from './web.ts';

const stopDeadlineMs = 10_000;

/** `stopgo web`: the web app as this process, until a signal ends it. */
export async function webCommand(path: string, host: NodeJS.Process): Promise<void> {
  const config = loadWebConfig(path, (file) => readFileSync(file, 'utf8'));
  const redactor = createRedactor();
  const logger = createLogger({ level: 'info', format: 'text', destination: host.stdout, redactor });
  await runProcess({
    name: 'web',
    logger,
    stopDeadlineMs,
    process: host,
    start: async () => {
      const started = await startWebHere(config, logger, { nextPort: false });
      logger.info(`ready on ${started.address} (the platform is ${config.agentUrl})`);
      return started;
    },
  });
}
