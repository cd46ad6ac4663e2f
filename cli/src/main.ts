#!/usr/bin/env node
import { ConfigError, messageOf } from '@stopgo/runtime';
import { runCommand } from './commands.ts';

try {
  await runCommand(process.argv.slice(2), process);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.report() : `stopgo: ${messageOf(error)}`}\n`);
  process.exit(1);
}
