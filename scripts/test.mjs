// `npm test`: makes the clone ready (some tests run the built programs), then runs the quick tests: those that need Node and
// git only, and some minutes (tests/tiers.ts). `npm run verify` runs the others.
// Arguments go to vitest. What names files runs these, quick or not: `npm test -- packages/core`. `npm run test:unit` and the like
// run one kind (tests/kinds.ts).
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { root, runToEnd } from './processes.mjs';

const LEFT_OUT =
  'stop-and-go: these were the quick tests. What needs a nats-server or containers, thousands of seeds and minutes of crashes is left to: npm run verify';

await runScript(async () => {
  const args = process.argv.slice(2);
  // Unit tests start no programs: they need nothing built.
  await bootstrap({ building: !args.includes('--project=unit') });
  const namesFiles = args.some((arg) => !arg.startsWith('-'));
  const namesKind = args.some((arg) => arg.startsWith('--project'));
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const env = namesFiles ? {} : { STOPGO_TESTS: 'quick' };
  const code = await runToEnd(process.execPath, [vitest, 'run', ...args], { env });
  if (!namesFiles && !namesKind) console.log(LEFT_OUT);
  return code;
});
