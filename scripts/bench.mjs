// `npm run bench`: makes the clone ready (the built platform is what is measured), then runs the bench.
// Arguments go to it: `npm run bench -- --quick --only turns`. With `services` as the first one it is the bench of the
// services as processes of their own, with `rules` that of the rules of approvals, with `web` that of the web app.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { root, runToEnd } from './processes.mjs';

await runScript(async () => {
  await bootstrap();
  const [first, ...rest] = process.argv.slice(2);
  const isPart = first === 'services' || first === 'rules' || first === 'web';
  const main = join(root, 'bench', 'src', ...(isPart ? [first] : []), 'main.ts');
  const given = isPart ? rest : process.argv.slice(2);
  const args = ['--import', 'tsx', '--conditions=stopgo-source', main, ...given];
  return await runToEnd(process.execPath, args);
});
