// `npm run example -- NAME...`: plays these examples on the bundled offline model; all of them if none is named. Installs and
// builds first what is missing. Ends with 0 only if every sentence that a story claims was true.
import { readdirSync } from 'node:fs';
import { bootstrap, runScript } from '../scripts/bootstrap.mjs';

const all = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

await runScript(async () => {
  const named = process.argv.slice(2);
  const unknown = named.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    console.error(`there is no example "${unknown}"; there are: ${all.join(', ')}`);
    return 1;
  }
  await bootstrap();
  const { play } = await import('./play.mjs');
  let failed = 0;
  for (const name of named.length === 0 ? all : named) if (!(await play(name))) failed += 1;
  return failed === 0 ? 0 : 1;
});
