import { setFlagsFromString } from 'node:v8';
import { takeHandedOver } from '../bin/handed-over.mjs';
import { reportOf, runCommand } from './commands.ts';

takeHandedOver();

// What a conversation needs lives for a while and then dies, and V8 lets such garbage grow to four times what is in use
// before it looks: collected at twice, a third of the memory is saved for little work.
setFlagsFromString('--heap-growing-percent=100');

// Whoever read our output has gone (`stopgo events … | head`): there is nobody left to tell. What runs on has its own rule.
if (!['start', 'service', 'services'].includes(process.argv[2] ?? ''))
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await runCommand(process.argv.slice(2), process);
} catch (error) {
  process.stderr.write(`${reportOf(error)}\n`);
  process.exit(1);
}
