// `npm run bench`: makes the clone ready (the built platform is what is measured), then runs the bench.
// Arguments go to it: `npm run bench -- --quick --only turns`.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { root, runToEnd } from './processes.mjs';

await runScript(async () => {
  await bootstrap();
  const main = join(root, 'bench', 'src', 'main.ts');
  const args = ['--import', 'tsx', '--conditions=stopgo-source', main, ...process.argv.slice(2)];
  return await runToEnd(process.execPath, args);
});
