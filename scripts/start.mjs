// `npm start`: makes the clone ready, then becomes `stopgo start --demo`. It goes on in this very process, so that
// signals, standard streams and the exit code are the command's own.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BootstrapError, bootstrap } from './bootstrap.mjs';
import { root } from './processes.mjs';

const command = join(root, 'cli', 'dist', 'main.js');

try {
  await bootstrap();
  if (!existsSync(command)) throw new BootstrapError(`stop-and-go: ${command} was not built; run: npm run build`);
} catch (error) {
  console.error(error instanceof BootstrapError ? error.message : error);
  process.exit(1);
}
process.argv = [process.execPath, command, 'start', '--demo', ...process.argv.slice(2)];
await import(pathToFileURL(command).href);
