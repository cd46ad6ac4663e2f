// Tables that the pages of both benches have.
import { appendBytes, appendsPerGroup, type Floor } from './floor.ts';
import type { Machine } from './machine.ts';
import type { TreeFigures } from './measure-trees.ts';
import type { Quantiles } from './quantiles.ts';
import { ms, table, whole } from './table.ts';
import type { TurnTimes } from './turns-at-once.ts';

/** The machine in a sentence. */
export function machineLine({ cores, processor, memoryGb, system, node, load }: Machine): string {
  return `${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}; load before the run ${load.toFixed(1)}.`;
}

export const floorHead = ['what', 'p50', 'p95', 'per second'];

export function floorRows(floor: Floor): string[][] {
  return [
    [
      `durable append of ${appendBytes} bytes, one by one`,
      ms(floor.appendP50Ms),
      ms(floor.appendP95Ms),
      whole(1_000 / floor.appendP50Ms),
    ],
    [`the same, ${appendsPerGroup} to a commit`, '', '', whole(floor.groupedAppendsPerSecond)],
    ['HTTP exchange (node:http), one by one', ms(floor.httpP50Ms), ms(floor.httpP95Ms), whole(1_000 / floor.httpP50Ms)],
    ['the same, 50 at once', '', '', whole(floor.httpPerSecondAt50)],
  ];
}

export const turnHead = [
  'turns/s',
  'message → waiting p50',
  'p95',
  'p99',
  'approve → done p50',
  'p95',
  'p99',
  'CPU ms per turn',
];

export function turnCells(times: TurnTimes, cpuMsPerTurn: number): string[] {
  const { turnsPerSecond, stopP50, stopP95, stopP99, goP50, goP95, goP99 } = times;
  return [whole(turnsPerSecond), ...[stopP50, stopP95, stopP99, goP50, goP95, goP99, cpuMsPerTurn].map(ms)];
}

export const quantileCells = ({ p50, p95, p99 }: Quantiles): string[] => [p50, p95, p99].map(ms);

const treeHead = [
  'tree',
  'conversations at once',
  'turns/s',
  'message → answer or wait p50',
  'p95',
  'all approved → answer p50',
  'p95',
  'CPU ms per turn',
];

/** Turns of trees. */
export function treeTable(trees: readonly TreeFigures[]): string {
  const rows = trees.map((one) => [
    one.name,
    String(one.concurrent),
    whole(one.turnsPerSecond),
    ms(one.messageP50),
    ms(one.messageP95),
    ...(one.approvals === 0 ? ['', ''] : [ms(one.approveP50), ms(one.approveP95)]),
    ms(one.cpuMsPerTurn),
  ]);
  return table(treeHead, rows);
}
