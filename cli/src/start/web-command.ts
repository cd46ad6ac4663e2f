import { createLogger, createRedactor, runProcess } from '@stopgo/runtime';
import { startWebHere, webAppOf } from './web.ts';

const stopDeadlineMs = 10_000;

/** `stopgo web`: the web app as this process, until a signal ends it. */
export async function webCommand(path: string, host: NodeJS.Process): Promise<void> {
  const redactor = createRedactor();
  const app = webAppOf(path, host.env, redactor);
  const logger = createLogger({ level: 'info', format: 'text', destination: host.stdout, redactor });
  await runProcess({
    name: 'web',
    logger,
    stopDeadlineMs,
    process: host,
    start: async () => {
      const started = await startWebHere(app, logger, { nextPort: false });
      logger.info(`ready on ${started.address} (the platform is ${app.config.agentUrl})`);
      return started;
    },
  });
}
