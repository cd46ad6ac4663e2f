// `npm test`: makes the clone ready (some tests run the built programs), then runs the tests.
// Arguments go to vitest: `npm test -- packages/core`.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { root, runToEnd } from './processes.mjs';

await runScript(async () => {
  await bootstrap();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  return await runToEnd(process.execPath, [vitest, 'run', ...process.argv.slice(2)]);
});
