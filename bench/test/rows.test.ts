import { describe, expect, test } from 'vitest';
import type { TurnFigures } from '../src/measure-turns.ts';
import { processTable, turnTables } from '../src/report-rows.ts';
import { rowNames, rowsOf } from '../src/rows.ts';
import { type RowPass, rotated, rowsOver } from '../src/rows-over.ts';

const process = {
  ...{ readyMs: 400, idleRssMb: 98, idleTreeRssMb: 158, idleCpuPercent: 0.1 },
  ...{ peakRssMb: 310, peakTreeRssMb: 375, rssAfterMb: 300, treeRssAfterMb: 364 },
};
const turns = (turnsPerSecond: number, treeCpuMsPerTurn: number): TurnFigures => ({
  ...{ concurrent: 50, turnsPerSecond, cpuMsPerTurn: treeCpuMsPerTurn / 2, treeCpuMsPerTurn },
  ...{ stopP50: 10, stopP95: 20, stopP99: 30, goP50: 25, goP95: 50, goP99: 60 },
});
const pass = (bare: TurnFigures, one: TurnFigures): RowPass[] => [
  { row: 'process', turns: [one], process },
  { row: 'bare', turns: [bare], process },
];

describe('rows over several passes', () => {
  // The second pass met a load: both rows took twice as long.
  const passes = [
    pass(turns(1_000, 1), turns(100, 6)),
    pass(turns(500, 2), turns(50, 12)),
    pass(turns(1_000, 1), turns(90, 7)),
  ];

  test('figures are medians, and ratios are made within a pass', () => {
    const [bare, one] = rowsOver(passes, ['bare', 'process']);
    expect(one?.turns[0]).toMatchObject({ slowest: 50, fastest: 100, ofBare: { turnsPerSecond: 0.1, treeCpu: 6 } });
    expect(one?.turns[0]?.figures).toMatchObject({ turnsPerSecond: 90, treeCpuMsPerTurn: 7 });
    expect(bare?.turns[0]?.ofBare).toEqual({ turnsPerSecond: 1, treeCpu: 1 });
  });

  test('without bare there are no ratios', () => {
    const alone = passes.map((rows) => rows.filter(({ row }) => row !== 'bare'));
    expect(rowsOver(alone, ['process'])[0]?.turns[0]).not.toHaveProperty('ofBare');
  });

  test('a row is one line of a table for each number of conversations at once', () => {
    const rows = rowsOver(passes, ['bare', 'process']);
    const [table = '', ...more] = turnTables(rows);
    expect(more).toEqual([]);
    const lines = table.split('\n').map((line) => line.split('|').slice(1, -1));
    expect(new Set(lines.map(({ length }) => length))).toEqual(new Set([12]));
    expect(lines[3]?.map((cell) => cell.trim())).toEqual([
      'one process',
      '90',
      '50 – 100',
      '10.0 %',
      '10.0',
      '20.0',
      '25.0',
      '50.0',
      '2.5 ×',
      '7.00',
      '6.0 ×',
      '3.50',
    ]);
    expect(processTable(rows)).toContain('| one process | 400 ms | 158 / 98 | 375 / 310 | 364 / 300 | 0.10 % |');
  });
});

describe('which rows are measured', () => {
  const withServer = { STOPGO_NATS_SERVER: globalThis.process.execPath };

  test('all of them, or those of a list, in its order', () => {
    expect(rowsOf(undefined, withServer)).toEqual({ rows: rowNames, leftOut: [] });
    expect(rowsOf('process,bare', {})).toEqual({ rows: ['process', 'bare'], leftOut: [] });
    expect(() => rowsOf('bare,two', {})).toThrow(
      '--rows takes a list of bare, process, process-50, services, not "two"',
    );
  });

  test('the services are left out in so many words where there is no nats-server', () => {
    const { rows, leftOut } = rowsOf(undefined, { PATH: '/nowhere' });
    expect(rows).toEqual(['bare', 'process', 'process-50']);
    expect(leftOut).toEqual([expect.stringContaining('services over NATS: left out')]);
  });

  test('each pass begins with another one', () => {
    expect([0, 1, 2, 3].map((index) => rotated(['a', 'b', 'c'], index).join(''))).toEqual(['abc', 'bca', 'cab', 'abc']);
  });
});
