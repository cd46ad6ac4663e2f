// `npm run build`: installs what the lock file says, where that has changed, and builds everything: the packages, and the web app.
import { join } from 'node:path';
import { bootstrap, runScript } from './bootstrap.mjs';
import { root, runToEnd } from './processes.mjs';

await runScript(async () => {
  await bootstrap({ building: false });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const code = await runToEnd(process.execPath, [compiler, '-b', 'tsconfig.build.json']);
  if (code !== 0) return code;
  for (const script of ['bundle-program.mjs', 'build-web.mjs']) {
    const code = await runToEnd(process.execPath, [join(root, 'scripts', script)]);
    if (code !== 0) return code;
  }
  return 0;
});
