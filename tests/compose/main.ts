// Builds and starts the whole of docker-compose.yaml with the offline model, two of each service that matters, runs the
// end-to-end tests on it, and goes through a conversation while containers crash; then docker-compose.chain.yaml, alone with
// `--only chain`. Takes everything down again, whatever happens. Exit code 1 if anything was not as it should be; where
// containers cannot be run it says so and ends with 0 (or STOPGO_SKIPPED_CODE), but with 1 if CI=true.
import { setMaxListeners } from 'node:events';
import { flagsOf, misused } from '../../scripts/flags.mjs';
import { chainOfAgents } from './chain.ts';
import { Composition } from './composition.ts';
import { endToEnd } from './end-to-end.ts';
import { hostileBesideBridge } from './hostile.ts';
import { isolationProblems } from './isolation.ts';
import { stopsInTheMiddle } from './slow-stop.ts';
import { conversationThroughCrashes } from './story.ts';
import { findTool } from './tool.ts';
import { whole } from './whole.ts';

const replicas = { orchestrator: 2, store: 2, gateway: 2 };

const begun = performance.now();
const seconds = (from: number): string => `${((performance.now() - from) / 1_000).toFixed(1)} s`;
const say = (line: string): void => void process.stdout.write(`compose ${seconds(begun).padStart(8)}  ${line}\n`);
const usage = 'usage: npm run test:compose -- [--keep-logs] [--only chain]';
const values = flagsOf(usage, { 'keep-logs': { type: 'boolean', default: false }, only: { type: 'string' } });
if (values.only !== undefined && values.only !== 'chain') misused(usage, `--only takes chain, not "${values.only}"`);

const tool = await findTool();
if (tool === undefined) {
  const isRequired = process.env.CI === 'true';
  process.stdout.write(
    `${isRequired ? 'FAIL' : 'skip'}  compose: neither docker compose nor podman-compose works on this machine\n`,
  );
  process.exit(isRequired ? 1 : Number(process.env.STOPGO_SKIPPED_CODE ?? 0));
}

const stop = new AbortController();
// Every program that runs listens: their number is no leak.
setMaxListeners(0, stop.signal);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (!stop.signal.aborted) say(`${signal}: taking everything down`);
    stop.abort(new Error(`stopped by ${signal}`));
  });
const composition = new Composition(tool, replicas, stop.signal);
const failures: string[] = [];

try {
  if (values.only === undefined) await Promise.race([everything(), stopped()]);
  await Promise.race([chainOfAgents(tool, stop.signal, say), stopped()]);
  say('passed');
} catch (error) {
  failed(error);
  if (!stop.signal.aborted) await showLogs();
} finally {
  if (process.exitCode !== 1 && values['keep-logs']) await showLogs();
  try {
    await composition.down();
    say('everything is down');
  } catch (error) {
    failed(error);
  }
  // Once more where nothing follows: the logs of the containers are long.
  for (const failure of failures) say(failure);
}

function failed(error: unknown): void {
  process.exitCode = 1;
  failures.push(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  say(failures.at(-1) ?? '');
}

/** Never comes to an end by itself. */
function stopped(): Promise<never> {
  return new Promise((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  });
}

async function everything(): Promise<void> {
  say(`with ${composition.tool.compose.join(' ')}`);
  await composition.build();
  const megabytes = Number(await composition.inspect(composition.image, '{{.Size}}')) / 1e6;
  say(`built; the image has ${megabytes.toFixed(0)} MB`);
  const from = performance.now();
  await composition.up();
  say('started');
  await composition.healthy();
  say(`every container is healthy, ${seconds(from)} after the start`);
  await isolated();
  await endToEnd(composition, stop.signal, say);
  await composition.start(...(await composition.containers()));
  await composition.healthy();
  for (const gateway of await composition.gateways()) await whole(gateway);
  say('every container is healthy again, and finds the others');
  await hostileBesideBridge(composition, say);
  await conversationThroughCrashes(composition, say);
  await stopsInTheMiddle(composition, say);
  await cleanStops();
  await isolated();
}

async function isolated(): Promise<void> {
  const problems = await isolationProblems(composition);
  if (problems.length > 0) throw new Error(`not isolated:\n  ${problems.join('\n  ')}`);
  say('isolated: two published ports, no root, no capability, no secret where it does not belong');
}

async function cleanStops(): Promise<void> {
  for (const service of [
    'web',
    'gateway',
    'orchestrator',
    'approvals',
    'mcp-bridge',
    'store',
    'mcp-resources',
    'nats',
  ]) {
    const [container] = await composition.containers(service);
    if (container === undefined) throw new Error(`no container of ${service}`);
    const { code, seconds: took } = await composition.stop(container);
    if (code !== 0) throw new Error(`${container.name} ended with exit code ${code} when it was asked to stop`);
    say(`${container.name} stopped cleanly in ${took.toFixed(1)} s`);
    await composition.start(container);
  }
  await composition.healthy();
  say('every container is healthy again');
}

/** The end of every log, for whoever has to find out. */
async function showLogs(): Promise<void> {
  for (const container of await composition.containers().catch(() => [])) {
    const log = await composition.logs(container).catch(String);
    process.stdout.write(`--- ${container.name}\n${log.trim().split('\n').slice(-15).join('\n')}\n`);
  }
}
