import { expect, test } from 'vitest';
import { fairTables } from '../src/fair/report.ts';
import { type FairRun, fairOver, type Guest } from '../src/fair/runs.ts';

const run = (guests: readonly Guest[], ms: number): FairRun => ({
  ...{ quickServers: 1, concurrent: 50, guests, guestMs: Object.fromEntries(guests.map((guest) => [guest, 2_000])) },
  times: {
    ...{ turnsPerSecond: 1_000 / ms, stopP50: ms, stopP95: 2 * ms, stopMax: 3 * ms },
    ...{ goP50: 2 * ms, goP95: 3 * ms, goMax: 4 * ms },
  },
});

// A load came in the second pass and stayed; that pass had its runs in another order.
const passes = [
  [run([], 10), run(['slow tool'], 11)],
  [run(['slow tool'], 33), run([], 30)],
  [run([], 30), run(['slow tool'], 33)],
];

test('a run is compared to the one without guests of the same pass', () => {
  const [alone, beside] = fairOver(passes);
  expect(alone?.ofAlone).toMatchObject({ stopP50: 1, goMax: 1 });
  expect(beside?.guests).toEqual(['slow tool']);
  expect(beside?.ofAlone.stopP50).toBeCloseTo(1.1);
});

test('a table for each row, with a line for each run', () => {
  const [what, table, ...more] = fairTables([{ row: 'process', runs: fairOver(passes) }]);
  expect(what).toContain('2000 ms');
  expect(more).toEqual([]);
  const [head, , alone, beside] = table?.split('\n') ?? [];
  expect(head).toMatch(/^\| one process, 47 of 50 at once, 2 tool servers; beside them \|/);
  expect(alone).toMatch(
    /^\| nobody \| 33 \| 30\.0 \| 60\.0 \| 90\.0 \| 60\.0 \| 90\.0 \| 120\.0 \| 2\.0 × \|(?: {2}\|){4} {2}\|$/,
  );
  expect(beside).toMatch(/^\| slow tool \| 30 \|.* 2\.0 × \|(?: 1\.10 × \|){4} 2000 \|$/);
});
