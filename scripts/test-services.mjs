// `npm run test:services`: the end-to-end tests once more, with the services as processes of their own over NATS.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { root, runToEnd } from './processes.mjs';

await runScript(async () => {
  await bootstrap();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { STOPGO_E2E_TOPOLOGY: 'services' };
  return await runToEnd(process.execPath, [vitest, 'run', 'tests/e2e', ...process.argv.slice(2)], { env });
});
