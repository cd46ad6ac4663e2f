#!/usr/bin/env node
// Stands here, and not in the built code, so that an install before the first build links the command.
import { endWithNpm } from './npm-watch.mjs';

// What runs on ends with whoever started it; what a human talks to ends with the terminal.
if (['start', 'services', 'service'].includes(process.argv[2] ?? '')) endWithNpm();
await import('../dist/program/main.js');
