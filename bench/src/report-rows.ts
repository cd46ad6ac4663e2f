// The rows beside each other: bare, the one process, the services.

import { rowTitles } from './rows.ts';
import type { RowFigures, RowTurns } from './rows-over.ts';
import { ms, table, whole } from './table.ts';

const turnHead = [
  'turns/s',
  'slowest – fastest pass',
  'of bare',
  'message → waiting p50',
  'p95',
  'approve → done p50',
  'p95',
  'second half to first',
  'CPU ms per turn, tree',
  'of bare',
  'own',
];

/** A table for each number of conversations at once. */
export function turnTables(rows: readonly RowFigures[]): readonly string[] {
  const counts = rows[0]?.turns.map(({ figures }) => figures.concurrent) ?? [];
  return counts.map((concurrent, index) => {
    const cells = rows.flatMap(({ row, turns }) => turns.slice(index, index + 1).map((one) => rowCells(row, one)));
    return table([`${concurrent} at once`, ...turnHead], cells);
  });
}

function rowCells(row: RowFigures['row'], { figures, slowest, fastest, ofBare }: RowTurns): string[] {
  const { turnsPerSecond, stopP50, stopP95, goP50, goP95, treeCpuMsPerTurn, cpuMsPerTurn } = figures;
  return [
    rowTitles[row],
    whole(turnsPerSecond),
    `${whole(slowest)} – ${whole(fastest)}`,
    ofBare === undefined ? '' : `${(100 * ofBare.turnsPerSecond).toFixed(1)} %`,
    ...[stopP50, stopP95, goP50, goP95].map(ms),
    times(goP50 / stopP50),
    ms(treeCpuMsPerTurn),
    ofBare === undefined ? '' : times(ofBare.treeCpu),
    ms(cpuMsPerTurn),
  ];
}

/** What each row's processes use: the tree, and of it its own. */
export function processTable(rows: readonly RowFigures[]): string {
  const both = (tree: number, own: number): string => `${whole(tree)} / ${whole(own)}`;
  return table(
    [
      'tree / own, MB',
      'start to ready',
      'memory when ready',
      'peak in the run',
      'after the run',
      'idle CPU of the tree (share of one core)',
    ],
    rows.map(({ row, process }) => [
      rowTitles[row],
      `${whole(process.readyMs)} ms`,
      both(process.idleTreeRssMb, process.idleRssMb),
      both(process.peakTreeRssMb, process.peakRssMb),
      both(process.treeRssAfterMb, process.rssAfterMb),
      `${process.idleCpuPercent.toFixed(2)} %`,
    ]),
  );
}

const times = (value: number): string => `${value.toFixed(1)} ×`;
