// `npm run test:web`: the web app in a real Chromium, before real platforms with the bundled offline model. CHROMIUM names the
// browser (default: /usr/bin/chromium). Without one it says so and is skipped. Arguments go to vitest.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { root, runToEnd } from './processes.mjs';

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';

await runScript(async () => {
  if (!existsSync(chromium)) {
    console.log(`there is no Chromium at ${chromium}: install the package "chromium", or name one with CHROMIUM`);
    return Number(process.env.STOPGO_SKIPPED_CODE ?? 1);
  }
  await bootstrap();
  const built = await runToEnd(process.execPath, [join(root, 'scripts', 'build-web.mjs')]);
  if (built !== 0) return built;
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  return await runToEnd(process.execPath, [vitest, 'run', '--project=web', ...process.argv.slice(2)]);
});
