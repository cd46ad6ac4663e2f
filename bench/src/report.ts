import { type FairRow, fairTables } from './fair/report.ts';
import type { Floor } from './floor.ts';
import type { InboxFigures } from './inbox/measure.ts';
import type { Machine } from './machine.ts';
import type { LongFigures } from './measure-long.ts';
import type { StoredFigures } from './measure-reads.ts';
import type { TreeFigures } from './measure-trees.ts';
import type { TurnFigures } from './measure-turns.ts';
import type { WaitingFigures } from './measure-waiting.ts';
import { processTable, turnTables } from './report-rows.ts';
import { floorHead, floorRows, machineLine, quantileCells, treeTable } from './report-shared.ts';
import type { RowFigures } from './rows-over.ts';
import { ms, table, whole } from './table.ts';

/** Everything one run of the bench found; parts that were not asked for are missing. */
export type Results = {
  readonly date: string;
  readonly machine: Machine;
  readonly passes: number;
  /** What other processes took of the machine meanwhile, in percent. */
  othersPercent: number;
  floor?: Floor;
  rows?: readonly RowFigures[];
  /** Why a row is missing, in words. */
  readonly leftOut: readonly string[];
  fair?: readonly FairRow[];
  trees?: readonly TreeFigures[];
  stored?: StoredFigures;
  inbox?: InboxFigures;
  waiting?: readonly WaitingFigures[];
  long?: { readonly marks: readonly LongFigures[]; readonly rssMb: number };
};

/** Durable appends, HTTP exchanges and model exchanges of one half of a stop-and-go turn. */
const appendsPerHalf = 3;
const httpPerHalf = 2;

/** The results as a page of tables. */
export function markdown({
  date,
  machine,
  passes,
  othersPercent,
  floor,
  rows,
  leftOut,
  fair,
  trees,
  stored,
  inbox,
  waiting,
  long,
}: Results): string {
  const parts = [
    `# Bench of ${date}`,
    `${machineLine(machine)} Others took ${whole(othersPercent)} % of the machine meanwhile. ` +
      `Floor, turns and the fair part: median of ${passes} ${passes === 1 ? 'pass' : 'passes'}; the rest: one run. Load generator, model and tool are processes of their own on the same cores. ` +
      'Times in milliseconds, memory in MB (10^6 bytes). CPU and memory are those of the platform process alone, unless the column says tree: its tool servers, too.',
  ];
  if (floor) parts.push('## The floor', table(floorHead, floorRows(floor)));
  if (rows)
    parts.push('## The stop-and-go turn', ...leftOut, ...turnTables(rows), '## The processes', processTable(rows));
  const turns = rows?.find(({ row }) => row === 'process')?.turns.map(({ figures }) => figures);
  if (turns && floor)
    parts.push(
      '## The one process against the floor',
      `The floor of a half: ${appendsPerHalf} durable appends and ${httpPerHalf} HTTP exchanges (the client's, the model's).`,
      ratioTable(turns, floor),
    );
  if (fair) parts.push('## Beside slow and large ones', ...fairTables(fair));
  if (trees) parts.push('## Trees', treeTable(trees));
  if (stored) parts.push(`## ${stored.conversations} conversations stored`, storedTable(stored));
  if (inbox) parts.push(`## ${inbox.waiting} approvals that wait`, inboxTable(inbox));
  if (waiting) parts.push('## Many that wait', waitingTable(waiting));
  if (long) parts.push('## One long conversation', longTable(long));
  return `${parts.join('\n\n')}\n`;
}

/**
 * What the parts alone would allow. One by one a half costs its appends and HTTP exchanges; at once the appends share
 * commits, and the exchanges share the cores. The tool, and the work itself, are not in it.
 */
function ratioTable(turns: readonly TurnFigures[], floor: Floor): string {
  const half = appendsPerHalf * floor.appendP50Ms + httpPerHalf * floor.httpP50Ms;
  const atOnce = 1 / (2 * (appendsPerHalf / floor.groupedAppendsPerSecond + httpPerHalf / floor.httpPerSecondAt50));
  return table(
    ['against the floor', 'floor', 'measured', 'ratio'],
    turns.flatMap(({ concurrent, stopP50, goP50, turnsPerSecond }) =>
      concurrent === 1
        ? [
            ['message → waiting, p50', ms(half), ms(stopP50), ratio(stopP50 / half)],
            ['approve → done, p50', ms(half), ms(goP50), ratio(goP50 / half)],
          ]
        : [[`turns/s at ${concurrent}`, whole(atOnce), whole(turnsPerSecond), ratio(atOnce / turnsPerSecond)]],
    ),
  );
}

function storedTable({ conversations, seedSeconds, rssMb, reads }: StoredFigures): string {
  const rows = reads.map((one) => [one.request, ...quantileCells(one), whole(one.bytes)]);
  const seeded = `Stored in ${seedSeconds.toFixed(0)} s through the API (${whole(conversations / seedSeconds)} per second, each with a run); memory afterwards ${whole(rssMb)} MB.`;
  return `${seeded}\n\n${table(['request', 'p50', 'p95', 'p99', 'bytes'], rows)}`;
}

function inboxTable({ groups, seedSeconds, reads }: InboxFigures): string {
  const rows = reads.map((one) => [one.request, ...quantileCells(one), whole(one.bytes)]);
  const seeded = `Of one person's conversations, decided by ${groups} groups in turn; stored in ${seedSeconds.toFixed(0)} s through the API.`;
  return `${seeded}\n\n${table(['request', 'p50', 'p95', 'p99', 'bytes'], rows)}`;
}

function waitingTable(figures: readonly WaitingFigures[]): string {
  const rows = figures.map((one) => [
    String(one.waiting),
    whole(one.readyMs),
    one.startCpuSeconds.toFixed(2),
    one.cpuSecondsPerMinute.toFixed(2),
    whole(one.rssMb),
    ms(one.listMs),
    ms(one.resumeMs),
  ]);
  const head = [
    'conversations that wait',
    'ready after, ms',
    'CPU seconds of the start',
    'CPU seconds a minute afterwards',
    'memory',
    'list of a hundred of them',
    'one that is resumed',
  ];
  return table(head, rows);
}

function longTable({ marks, rssMb }: NonNullable<Results['long']>): string {
  const rows = marks.map((one) => [
    String(one.turn),
    ms(one.stopMs),
    ms(one.goMs),
    ms(one.modelMs),
    ms(one.withoutModelMs),
    ms(one.cpuMs),
    whole(one.logBytes),
  ]);
  const head = [
    'turn',
    'message → waiting',
    'approve → done',
    'of which in the model',
    'turn without the model',
    'CPU ms',
    'bytes in the log',
  ];
  return `${table(head, rows)}\n\nMemory afterwards ${whole(rssMb)} MB. The prompt grows with the conversation; building and sending it is in the time without the model.`;
}

const ratio = (value: number): string => value.toFixed(1);
