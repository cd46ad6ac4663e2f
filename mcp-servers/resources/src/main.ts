#!/usr/bin/env node
import { type RunningServer, reasonOf, type ToolServerFactory } from '@stopgo/tool-server';
import { openDatabase } from './database.ts';
import { type CallJournal, noJournal, openJournal } from './journal.ts';
import { createServer, messageBytesMax } from './server.ts';
import { readSettings, type Settings, usage } from './settings.ts';
import { createResourceStore, type ResourceStore } from './store.ts';

/** Longest line on standard error about something a client did, in UTF-16 code units. */
const reportLengthMax = 500;

const nanosecondsPerMillisecond = 1_000_000n;

/** Milliseconds from the wall clock; the digits below them from the monotonic one, because Node's wall clock has none. */
function unixNanoseconds(): bigint {
  return BigInt(Date.now()) * nanosecondsPerMillisecond + (process.hrtime.bigint() % nanosecondsPerMillisecond);
}

function say(text: string): void {
  process.stderr.write(`mcp-resources: ${text.slice(0, reportLengthMax)}\n`);
}

function report(error: Error): void {
  say(reasonOf(error));
}

// What only one of the ways to run needs is loaded only then: a client waits for this program to start.
async function serve(settings: Settings, store: ResourceStore, journal: CallJournal): Promise<RunningServer> {
  const create: ToolServerFactory = ({ era }) => createServer(store, journal, era);
  const limits = { messageBytesMax: messageBytesMax, report };
  if (settings.http === undefined) {
    const { serveOverStdio } = await import('@stopgo/tool-server/stdio');
    return serveOverStdio(create, limits);
  }
  const { isLoopback, serveOverHttp } = await import('@stopgo/tool-server/http');
  const server = await serveOverHttp(create, { ...settings.http, ...limits });
  if (!isLoopback(settings.http.host)) say('whoever reaches this port can add and remove resources');
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
  const journalFile = process.env.MCP_RESOURCES_JOURNAL;
  const journal =
    journalFile === undefined ? noJournal : openJournal(journalFile, process.pid, () => new Date().toISOString());
  const store = createResourceStore(openDatabase(settings.database), {
    unixNanoseconds,
    monotonicMs: () => performance.now(),
  });
  const server = await serve(settings, store, journal);
  // Before anybody is told that it listens, who may end it at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.stop());
  if (server.address !== '') say(`listening on ${server.address}`);
  await server.ended;
  store.close();
  journal.close();
}

try {
  await main();
} catch (thrown) {
  say(reasonOf(thrown));
  process.exitCode = 1;
}
