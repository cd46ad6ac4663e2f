#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { type RunningServer, reasonOf, type ToolServerFactory } from '@stopgo/tool-server';
import { messageBytesMax } from './bounds.ts';
import { createCalls } from './calls.ts';
import { kernelAnchors } from './folder.ts';
import { jsonLog } from './log.ts';
import { systemOwners } from './owners.ts';
import { nestedRoots, openRoots, type Roots } from './roots.ts';
import { createServer } from './server.ts';
import { readSettings, type Settings, usage } from './settings.ts';

const uniqueBytes = 12;

const log = jsonLog(
  (text) => process.stderr.write(text),
  () => new Date().toISOString(),
);

// What only one of the ways to run needs is loaded only then: a client waits for this program to start.
async function serve({ http, fullReadBytesMax }: Settings, roots: Roots): Promise<RunningServer> {
  const calls = createCalls(
    {
      roots,
      fullReadBytesMax,
      owners: systemOwners(),
      monotonicMs: () => performance.now(),
      unique: () => randomBytes(uniqueBytes).toString('hex'),
    },
    log,
  );
  const create: ToolServerFactory = ({ era }) => createServer(calls, era);
  const report = (error: Error): void => log({ level: 'WARN', msg: 'protocol error', error: reasonOf(error) });
  const limits = { messageBytesMax: messageBytesMax, report };
  if (http === undefined) {
    const { serveOverStdio } = await import('@stopgo/tool-server/stdio');
    return serveOverStdio(create, limits);
  }
  const { isLoopback, serveOverHttp } = await import('@stopgo/tool-server/http');
  const server = await serveOverHttp(create, { ...http, ...limits });
  if (!isLoopback(http.host)) log({ level: 'WARN', msg: 'whoever reaches this port can use the roots' });
  return server;
}

async function main(): Promise<void> {
  // Whoever reads what is said may leave; that is no reason to end.
  process.stderr.on('error', () => {});
  const settings = await readSettings(process.argv.slice(2), async (path) =>
    (await import('@stopgo/tool-server/settings-file')).readSettingsFile(path),
  );
  if (settings === 'help') {
    process.stdout.write(usage);
    return;
  }
  const roots = openRoots(settings.roots);
  for (const [outer, inner] of nestedRoots(roots)) {
    log({ level: 'WARN', msg: 'a root lies in another, whose allowed tools reach it too', outer, inner });
  }
  if (!kernelAnchors) {
    log({
      level: 'WARN',
      msg: 'no /proc/self/fd: calls are not safe from others who change folders of the roots meanwhile',
    });
  }
  const server = await serve(settings, roots);
  // Before anybody is told that it serves, who may end it at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.stop());
  log({ level: 'INFO', msg: 'serving', address: server.address || 'stdio', roots: [...roots.keys()] });
  await server.ended;
}

try {
  await main();
} catch (thrown) {
  process.stderr.write(`mcp-filesystem: ${reasonOf(thrown)}\n`);
  process.exitCode = 1;
}
