// `npm run test:services`: the end-to-end tests once more, with the services as processes of their own over NATS. If
// STOPGO_SERVICES_NODE names another Node they run on that one instead of this one: twice would take too long. SERVICES_SHARD=1/2 runs
// one half of the files, 2/2 the other.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { otherNode, SERVICES_NODE } from './other-node.mjs';
import { root, runToEnd } from './processes.mjs';

await runScript(async () => {
  await bootstrap();
  const other = await otherNode(SERVICES_NODE);
  console.log(`end-to-end tests over separate processes, on Node ${other?.version ?? process.version}`);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { STOPGO_E2E_TOPOLOGY: 'services', ...(other && { PATH: other.path }) };
  const shard = process.env.SERVICES_SHARD ? [`--shard=${process.env.SERVICES_SHARD}`] : [];
  const args = [vitest, 'run', 'tests/e2e', ...shard, ...process.argv.slice(2)];
  return await runToEnd(other?.program ?? process.execPath, args, { env });
});
