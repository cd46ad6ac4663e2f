import type { Machine } from '../machine.ts';
import { ms, table, whole } from '../table.ts';
import type { CallsPerTurn, ServicesFigures } from './measure.ts';
import type { IdleFigures, ServicesStoredFigures } from './measure-stored.ts';
import type { TakeoverFigures } from './measure-takeover.ts';
import type { Usage } from './parts.ts';
import type { Shape } from './platform.ts';

/** Everything one run of the bench of the services found; parts that were not asked for are missing. */
export type Results = {
  readonly date: string;
  readonly machine: Machine;
  services?: readonly ServicesFigures[];
  calls?: { readonly shape: Shape; readonly perTurn: CallsPerTurn };
  takeover?: TakeoverFigures;
  stored?: ServicesStoredFigures;
};

/** The results as a page of tables. */
export function markdown({ date, machine, services, calls, takeover, stored }: Results): string {
  const { cores, processor, memoryGb, system, node, load } = machine;
  const parts = [
    `# Bench of the services of ${date}`,
    `${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}; load before the run ${load.toFixed(1)}. ` +
      'Each service is a process of its own, over gRPC; the log is one nats-server with `sync_interval: always`. Load generator, model and tool server are processes of their own on the same cores; ' +
      'CPU is that of the platform and of nats-server. Times in milliseconds, memory in MB (10^6 bytes).',
  ];
  if (services) parts.push('## The stop-and-go turn', turnTable(services), '## CPU by service', cpuTable(services));
  if (services) parts.push('## Memory by service', memoryTable(services));
  if (calls) parts.push('## Internal calls of a turn', callsTable(calls.perTurn));
  if (takeover) parts.push('## A driver is killed', takeoverText(takeover));
  if (stored) parts.push(`## ${stored.stored} conversations stored, ${stored.waiting} waiting`, storedTables(stored));
  return `${parts.join('\n\n')}\n`;
}

const shapeOf = ({ orchestrators, stores }: Shape): string => `${orchestrators} / ${stores}`;

function turnTable(services: readonly ServicesFigures[]): string {
  return table(
    [
      'orchestrators / stores',
      'at once',
      'turns/s',
      'message → waiting p50',
      'p95',
      'approve → done p50',
      'p95',
      'CPU ms per turn',
    ],
    services.flatMap(({ shape, turns }) =>
      turns.map((one) => [
        shapeOf(shape),
        String(one.concurrent),
        whole(one.turnsPerSecond),
        ms(one.stopP50),
        ms(one.stopP95),
        ms(one.goP50),
        ms(one.goP95),
        ms(one.cpu.reduce((sum, { cpuMsPerTurn }) => sum + cpuMsPerTurn, 0)),
      ]),
    ),
  );
}

function cpuTable(services: readonly ServicesFigures[]): string {
  const names = [...new Set(services.flatMap(({ turns }) => turns.flatMap(({ cpu }) => cpu.map((one) => one.name))))];
  return table(
    ['orchestrators / stores', 'at once', ...names],
    services.flatMap(({ shape, turns }) =>
      turns.map(({ concurrent, cpu }) => [
        shapeOf(shape),
        String(concurrent),
        ...names.map((name) => ms(cpu.find((one) => one.name === name)?.cpuMsPerTurn ?? 0)),
      ]),
    ),
  );
}

function memoryTable(services: readonly ServicesFigures[]): string {
  const names = [...new Set(services.flatMap(({ after }) => after.map((one) => one.name)))];
  const cell = (usage: readonly Usage[], name: string): string =>
    whole(usage.find((one) => one.name === name)?.rssMb ?? 0);
  return table(
    ['orchestrators / stores', 'ready after', ...names.map((name) => `${name}: ready → after`)],
    services.map(({ shape, readyMs, idle, after }) => [
      shapeOf(shape),
      `${whole(readyMs)} ms`,
      ...names.map((name) => `${cell(idle, name)} → ${cell(after, name)}`),
    ]),
  );
}

function callsTable({ total, byMethod }: CallsPerTurn): string {
  const rows = Object.entries(byMethod)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([method, count]) => [method, ms(count)]);
  return table(['method', 'calls per turn'], [...rows, ['all', ms(total)]]);
}

function takeoverText({ rounds, runs, takenOver, medianMs, maxMs }: TakeoverFigures): string {
  return `One of two orchestrators was killed ${rounds} times while ${runs} runs were under way; ${takenOver} were its own. From the kill until they were asked of the model again: median ${whole(medianMs)} ms, at most ${whole(maxMs)} ms (time to live of a heartbeat: 5,000 ms).`;
}

function storedTables(stored: ServicesStoredFigures): string {
  const { before, after, seedSeconds } = stored;
  const of = (list: readonly IdleFigures[], name: string): IdleFigures | undefined =>
    list.find((one) => one.name === name);
  const idle = table(
    ['service', 'memory before', 'after', 'idle CPU before (share of one core)', 'after'],
    after.map(({ name, rssMb, cpuPercent }) => [
      name,
      whole(of(before, name)?.rssMb ?? 0),
      whole(rssMb),
      `${(of(before, name)?.cpuPercent ?? 0).toFixed(1)} %`,
      `${cpuPercent.toFixed(1)} %`,
    ]),
  );
  const requests = (['resume', 'get', 'list', 'listWaiting'] as const).map((name) => {
    const { p50, p95, p99 } = stored[name];
    return [requestNames[name], ms(p50), ms(p95), ms(p99)];
  });
  const seeded = `Stored in ${whole(seedSeconds)} s through the API (${whole(stored.stored / seedSeconds)} per second).`;
  return `${seeded}\n\n${idle}\n\n${table(['request', 'p50', 'p95', 'p99'], requests)}`;
}

const requestNames = {
  resume: 'approve one that waits → done',
  get: 'GET /conversations/:id',
  list: 'GET /conversations?limit=100',
  listWaiting: '…&status=waiting_approval',
};
