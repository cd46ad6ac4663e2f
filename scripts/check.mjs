// `npm run check`: what can be told without running anything: types, lint, contracts, generated code, unused code.
import { bootstrap, runScript } from './bootstrap.mjs';
import { checks, runChecks } from './checks.mjs';

await runScript(async () => {
  await bootstrap({ building: false });
  const { failed } = await runChecks(checks);
  return failed === 0 ? 0 : 1;
});
