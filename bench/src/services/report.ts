import type { Machine } from '../machine.ts';
import type { TreeFigures } from '../measure-trees.ts';
import { median, medians } from '../quantiles.ts';
import { floorHead, floorRows, machineLine, quantileCells, treeTable, turnCells, turnHead } from '../report-shared.ts';
import { ms, table, whole } from '../table.ts';
import type { CallsPerTurn } from './count-calls.ts';
import { messageBytes } from './floor.ts';
import type { Round } from './measure.ts';
import type { IdleFigures, ServicesStoredFigures } from './measure-stored.ts';
import type { TakeoverFigures } from './measure-takeover.ts';
import { memoryTable, timeTables } from './report-time.ts';
import { cpuOf, type Measured, measuredOf, shapeOf } from './summary.ts';

/** Everything one run of the bench of the services found; parts that were not measured are missing. */
export type Results = {
  readonly date: string;
  readonly machine: Machine;
  readonly rounds: Round[];
  /** Names of the steps that were not done, or not yet. */
  readonly missing: string[];
  trees?: readonly TreeFigures[];
  calls?: CallsPerTurn;
  takeover?: TakeoverFigures;
  stored?: ServicesStoredFigures;
};

/** Durable appends of one half of a stop-and-go turn, and its HTTP exchanges: the client's, the model's. */
const appendsPerHalf = 3;
const httpPerHalf = 2;
/** Internal calls of a half if they were not counted in this run. */
const callsPerHalf = 6;

/** The results as a page of tables. */
export function markdown({ date, machine, rounds, missing, trees, calls, takeover, stored }: Results): string {
  const parts = [
    `# Bench of the services of ${date}`,
    `${machineLine(machine)} Each service is a process of its own, over gRPC; the log is one nats-server with \`sync_interval: always\`. ` +
      `Load generator, model and tool server (over HTTP) are processes of their own on the same cores; CPU is that of the platform and of nats-server. Times in milliseconds, memory in MB (10^6 bytes). ` +
      'Compare ratios: to the floor, and to the one process, which were measured between the services.',
  ];
  if (missing.length > 0) parts.push(`**Incomplete.** Not measured: ${missing.join('; ')}.`);
  if (rounds.length > 0) {
    const measured = measuredOf(rounds);
    parts.push('## The floor', floorTable(rounds), '## The stop-and-go turn', turnTable(rounds, measured));
    parts.push(...againstFloor(rounds, measured, calls));
    parts.push(
      '## Where the time goes',
      ...timeTables(rounds, measured, calls),
      '## Memory by service',
      memoryTable(measured),
    );
  }
  if (trees) parts.push('## Trees', treeTable(trees));
  if (calls) parts.push('## Internal calls of a turn', callsTable(calls));
  if (takeover) parts.push('## A driver is killed', takeoverText(takeover));
  if (stored) parts.push(`## ${stored.stored} conversations stored, ${stored.waiting} waiting`, storedTables(stored));
  return `${parts.join('\n\n')}\n`;
}

function floorTable(rounds: readonly Round[]): string {
  const floor = medians(rounds.map((round) => round.floor));
  const rows = (['unary', 'stream', 'publish'] as const).map((name) => {
    const one = medians(rounds.map((round) => round.transport[name]));
    return [
      [`${exchangeNames[name]}, one by one`, ms(one.p50Ms), ms(one.p95Ms), whole(1_000 / one.p50Ms)],
      [`the same, 50 under way (${ms(one.cpuMs)} ms of CPU each, both ends)`, '', '', whole(one.perSecondAt50)],
    ];
  });
  return `Medians of ${rounds.length} ${rounds.length === 1 ? 'round' : 'rounds'}.\n\n${table(floorHead, [...floorRows(floor), ...rows.flat()])}`;
}

const exchangeNames = {
  unary: `gRPC unary call with ${messageBytes} bytes, to another process`,
  stream: 'the same bytes over an open bidirectional stream, and back',
  publish: 'NATS publish of the same bytes, acknowledged from the disk',
};

function turnTable(rounds: readonly Round[], measured: readonly Measured[]): string {
  const one = rounds[0]?.oneProcess.map(({ concurrent }, index) => {
    const figures = medians(rounds.flatMap((round) => round.oneProcess[index] ?? []));
    return ['one process', String(concurrent), ...turnCells(figures, figures.cpuMsPerTurn), '1.0'];
  });
  const rows = measured.flatMap(({ shape, rounds: count, turns }) =>
    turns.map(({ times, cpu, cpuRatio }) => [
      `${shapeOf(shape)}${count > 1 ? ` (median of ${count} rounds)` : ''}`,
      String(times.concurrent),
      ...turnCells(times, cpuOf(cpu)),
      cpuRatio.toFixed(1),
    ]),
  );
  const head = ['orchestrators / stores', 'at once', ...turnHead, 'CPU against the one process of the same round'];
  return `${table(head, [...(one ?? []), ...rows])}\n\n${spreadText(rounds)}\n\n${apartText(measured)}`;
}

/** The halves without what model and tool server took for them. At many at once they wait for the cores, and it says nothing. */
function apartText(measured: readonly Measured[]): string {
  const rows = measured.flatMap(({ shape, turns }) =>
    turns
      .filter(({ times }) => times.concurrent === 1)
      .map(({ times: { stopP50, goP50, modelMs, toolMs } }) => {
        const modelPerHalf = modelMs / 2;
        const [stop, go] = [stopP50 - modelPerHalf, goP50 - modelPerHalf - toolMs];
        return [shapeOf(shape), ...[modelPerHalf, toolMs, stop, go].map(ms)];
      }),
  );
  return (
    'The platform alone: the halves without the time of model and tool server, which measure it themselves (means, from the head of a request to the end of the answer); ' +
    `the load generator's own is still in it.\n\n${table(apartHead, rows)}`
  );
}

const apartHead = [
  'orchestrators / stores, 1 at once',
  'model, in each half',
  'tool server, in the second',
  'message → waiting p50 without',
  'approve → done p50 without',
];

/** How far the same measurement was from itself: what a difference must exceed to mean something. */
function spreadText(rounds: readonly Round[]): string {
  const texts = (rounds[0]?.oneProcess ?? []).map(({ concurrent }, index) => {
    const all = rounds.flatMap((round) => round.oneProcess[index]?.cpuMsPerTurn ?? []);
    return `${ms(Math.min(...all))} to ${ms(Math.max(...all))} at ${concurrent}`;
  });
  return `CPU ms per turn of the one process over the ${rounds.length} rounds: ${texts.join(', ')}.`;
}

/** What the parts of a half alone would take, one after the other: the work itself, and the tool, are not in it. */
function againstFloor(
  rounds: readonly Round[],
  measured: readonly Measured[],
  calls: CallsPerTurn | undefined,
): readonly string[] {
  const perHalf = calls === undefined ? callsPerHalf : calls.total / 2;
  const half = median(
    rounds.map(
      ({ floor, transport }) =>
        appendsPerHalf * transport.publish.p50Ms + perHalf * transport.stream.p50Ms + httpPerHalf * floor.httpP50Ms,
    ),
  );
  const rows = measured.flatMap(({ shape, turns }) =>
    turns
      .filter(({ times }) => times.concurrent === 1)
      .map(({ times: { stopP50, goP50 } }) => [
        shapeOf(shape),
        ms(half),
        ms(stopP50),
        (stopP50 / half).toFixed(1),
        ms(goP50),
        (goP50 / half).toFixed(1),
      ]),
  );
  return [
    `The floor of a half: ${appendsPerHalf} acknowledged publishes, ${ms(perHalf)} calls over a stream that is open and ${httpPerHalf} HTTP exchanges (the client's, the model's), one after the other.`,
    table(
      ['orchestrators / stores, 1 at once', 'floor', 'message → waiting', 'ratio', 'approve → done', 'ratio'],
      rows,
    ),
  ];
}

function callsTable({ shape, total, byMethod }: CallsPerTurn): string {
  const rows = Object.entries(byMethod)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([method, count]) => [method, ms(count)]);
  const what = `${shape.orchestrators} orchestrators and ${shape.stores} stores, turns one after the other; heartbeats, follows and health checks apart.`;
  return `${what}\n\n${table(['method', 'calls per turn'], [...rows, ['all', ms(total)]])}`;
}

function takeoverText({ kills, runs, takenOver, medianMs, maxMs }: TakeoverFigures): string {
  return `One of two orchestrators was killed ${kills} times while ${runs} runs were under way; ${takenOver} were its own. From the kill until they were asked of the model again: median ${whole(medianMs)} ms, at most ${whole(maxMs)} ms (time to live of a heartbeat: 5,000 ms).`;
}

function storedTables(stored: ServicesStoredFigures): string {
  const { before, after, seedSeconds, verified } = stored;
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
  const names = ['resume', 'get', 'list', 'listWaiting'] as const;
  const requests = names.map((name) => [requestNames[name], ...quantileCells(stored[name])]);
  const seeded =
    `Stored in ${whole(seedSeconds)} s (${whole(stored.stored / seedSeconds)} a second) by appends to the store over gRPC, as an orchestrator makes them, without HTTP and model. ` +
    `The views count all of them; of a sample of ${verified.streams} (${verified.events} events) every hash chain holds, every view equals its events, and the events are those of a conversation made through the API.`;
  return `${seeded}\n\n${idle}\n\n${table(['request, one after the other', 'p50', 'p95', 'p99'], requests)}`;
}

const requestNames = {
  resume: 'approve one that waits → done',
  get: 'GET /conversations/:id',
  list: 'GET /conversations?limit=100',
  listWaiting: '…&status=waiting_approval',
};
