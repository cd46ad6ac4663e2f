// Runs nats-server as its child for as long as the process that started this one lives, and says when it answers.
// nats-server itself notices nothing of a launcher that was killed.
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { takeHandedOver } from '../../../../bin/handed-over.mjs';
import { natsReadyMs, pollMs } from '../../bounds.ts';
import type { ReadyMessage } from '../../ready-message.ts';

const [program = '', config = '', address = '', health = ''] = process.argv.slice(2);

const ownerOnly = 0o600;

takeHandedOver();
const { STOPGO_NATS_CONFIG: text = '', ...env } = process.env;
// It holds the password. The server reads it when it starts, and never again.
rmSync(config, { force: true });
writeFileSync(config, text, { mode: ownerOnly, flag: 'wx' });
process.on('exit', () => rmSync(config, { force: true }));
const server = spawn(program, ['--config', config], { env, stdio: ['ignore', 'inherit', 'inherit'] });
let isStopping = false;

const stop = (): void => {
  isStopping = true;
  server.kill('SIGTERM');
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
process.on('disconnect', stop);

server.once('error', (error) => fail(`${program} cannot be run: ${error.message}`));
server.once('exit', (code, signal) => {
  if (isStopping) process.exit(0);
  // By the same signal, so that whoever restarts us sees how it ended.
  if (signal !== null) process.kill(process.pid, signal);
  else fail(`nats-server ended with exit code ${code}; its own lines say why`);
});

const deadline = performance.now() + natsReadyMs;
while (!(await answers())) {
  if (performance.now() > deadline) fail(`nats-server did not answer within ${natsReadyMs} ms`);
  await new Promise((resolve) => setTimeout(resolve, pollMs));
}
rmSync(config, { force: true });
const ready: ReadyMessage = { kind: 'ready', address, instance: 'nats' };
process.send?.(ready);

async function answers(): Promise<boolean> {
  try {
    return (await fetch(health)).ok;
  } catch {
    return false;
  }
}

function fail(reason: string): never {
  server.kill('SIGKILL');
  process.stderr.write(`Failed to start nats: ${reason}\n`);
  process.exit(1);
}
