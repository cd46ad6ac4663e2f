// `npm start`: makes the clone ready, then becomes `stopgo start`. It goes on in this very process, so that signals, standard
// streams and the exit code are the command's own.
//
// Node's own code is put on large pages where the system has them (package.json): with many conversations at once a turn costs about a
// sixth less CPU. It takes some 25 MB of memory. New objects get the room that Node 20 gives them (16 MiB, twice): Node 24 takes four times
// that, some 80 MB more, and a turn costs as much.
//
// Before that, handing-over.sh has put the environment where other processes of the same user cannot read it.
//
// The shipped agent is started as a demo: without a key the offline model answers. An agent of one's own (`--config FILE`) is
// one only where that is said (`--demo`), so that nobody takes the offline model's answers for those of a model.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeHandedOver } from '../cli/bin/handed-over.mjs';
import { endWithNpm } from '../cli/bin/npm-watch.mjs';
import { BootstrapError, bootstrap } from './bootstrap.mjs';
import { root } from './processes.mjs';

takeHandedOver();
const command = join(root, 'cli', 'dist', 'program', 'main.js');
const args = process.argv.slice(2);

// Without the two dashes npm takes options for its own, and starts us without them.
const swallowed = ['config', 'demo', 'open', 'port', 'web'].filter(
  (name) => process.env[`npm_config_${name}`] !== undefined && !args.some((arg) => arg.startsWith(`--${name}`)),
);
if (swallowed.length > 0) {
  console.error(
    `stop-and-go: npm took --${swallowed[0]} for its own; write two dashes before it: npm start -- --${swallowed[0]} …`,
  );
  process.exit(1);
}
const isOwnAgent = args.some((arg) => arg === '--config' || arg.startsWith('--config='));

endWithNpm();
try {
  await bootstrap();
  if (!existsSync(command)) throw new BootstrapError(`stop-and-go: ${command} was not built; run: npm run build`);
} catch (error) {
  console.error(error instanceof BootstrapError ? error.message : error);
  process.exit(1);
}
// The web app is part of it, unless somebody wants none.
const web = args.includes('--no-web') ? [] : ['--web'];
const others = args.filter((arg) => arg !== '--no-web');
process.argv = [process.execPath, command, 'start', ...(isOwnAgent ? [] : ['--demo']), ...others, ...web];
await import(pathToFileURL(command).href);
