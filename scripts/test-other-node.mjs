// `npm run test:other-node`: the integration tests of the packages and services on the Node that STOPGO_OTHER_NODE names: what garbage
// collection, streams and signals do differs between versions. services/store, mcp-servers, cli and tests are left out, for the time they take: the end-to-end tests
// (`npm run test:services`) run the programs of the first three on that Node.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { OTHER_NODE, otherNode } from './other-node.mjs';
import { root, runToEnd } from './processes.mjs';

await runScript(async () => {
  const other = await otherNode(OTHER_NODE);
  if (other === undefined) {
    const isRequired = process.env.CI === 'true';
    console.log(`${isRequired ? 'cannot run' : 'skipped'}: ${OTHER_NODE} names no other Node to test on`);
    return isRequired ? 1 : Number(process.env.STOPGO_SKIPPED_CODE ?? 0);
  }
  await bootstrap();
  console.log(`tests of packages and services on Node ${other.version}`);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', ...process.argv.slice(2)];
  return await runToEnd(other.program, args, { env: { PATH: other.path, STOPGO_TESTS: 'other-node' } });
});
