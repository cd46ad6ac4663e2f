// `npm run test:services`: the end-to-end tests once more, with the services as processes of their own over NATS. If
// STOPGO_SERVICES_NODE names another Node they run on that one instead of this one: twice would take too long.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { otherNode, SERVICES_NODE } from './other-node.mjs';
import { root, runToEnd } from './processes.mjs';

/** Longest time of one test, in milliseconds. */
const TEST_MS = 120_000;

await runScript(async () => {
  await bootstrap();
  const other = await otherNode(SERVICES_NODE);
  console.log(`end-to-end tests over separate processes, on Node ${other?.version ?? process.version}`);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { STOPGO_E2E_TOPOLOGY: 'services', ...(other && { PATH: other.path }) };
  // Each platform is seven processes or more: on a small machine their starts take their time.
  const patience = [`--testTimeout=${TEST_MS}`, `--hookTimeout=${TEST_MS}`];
  const args = [vitest, 'run', 'tests/e2e', ...patience, ...process.argv.slice(2)];
  return await runToEnd(other?.program ?? process.execPath, args, { env });
});
