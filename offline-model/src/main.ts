#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type OfflineModel, startOfflineModel } from './index.ts';

const usage =
  'usage: stopgo-offline-model [--host HOST] [--port PORT] [--control] [--strict-signatures] [--exit-with-stdin]';

let model: OfflineModel;
try {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      control: { type: 'boolean', default: false },
      'strict-signatures': { type: 'boolean', default: false },
      'exit-with-stdin': { type: 'boolean', default: false },
    },
  });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, not "${values.port}"`);
  }
  model = await startOfflineModel({
    host: values.host,
    port: Number(values.port),
    control: values.control,
    strictSignatures: values['strict-signatures'],
  });
  if (values['exit-with-stdin']) {
    // A launcher that is killed cannot say goodbye, but its end of the pipe closes.
    process.stdin.on('end', stop).on('close', stop).on('error', stop).resume();
  }
} catch (error) {
  process.stderr.write(`offline model: ${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
  process.exit(1);
}
process.stdout.write(`offline model listening on ${model.url}\n`);
process.once('SIGTERM', stop);
process.once('SIGINT', stop);

function stop(): void {
  // Whatever still hangs is a test's business, not a reason to stay.
  void model.stop().finally(() => process.exit(0));
}
