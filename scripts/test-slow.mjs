// `npm run test:slow`: what `npm test` leaves out and no other command runs: the tests that need a nats-server, thousands of
// seeds, crashes in every order (tests/tiers.ts). Without a nats-server those that need one are skipped; with CI=true they fail.
// Arguments go to vitest.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { root, runToEnd } from './processes.mjs';

await runScript(async () => {
  await bootstrap();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', ...process.argv.slice(2)];
  return await runToEnd(process.execPath, args, { env: { STOPGO_TESTS: 'slow' } });
});
