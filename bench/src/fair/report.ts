import { type RowName, rowTitles } from '../rows.ts';
import { ms, table, whole } from '../table.ts';
import { type FairFigures, ordinaryOf, slowMs } from './runs.ts';

/** A row and how its ordinary conversations fare beside guests. */
export type FairRow = { readonly row: RowName; readonly runs: readonly FairFigures[] };

const head = [
  'turns/s',
  'message → waiting p50',
  'p95',
  'max',
  'approve → done p50',
  'p95',
  'max',
  'second half to first',
  'of alone: first half p50',
  'p95',
  'second half p50',
  'p95',
  'whole turn of the guest p50',
];

/** What is measured, and a table for each row, number of servers and number of conversations at once. */
export function fairTables(rows: readonly FairRow[]): readonly string[] {
  const what = `Ordinary conversations, and beside them none, one or all of: a conversation whose tool takes ${slowMs} ms on a server of its own, one whose model takes ${slowMs} ms for each answer, and one of hundreds of messages. "Of alone": the times as multiples of those without them, in the same pass.`;
  return [what, ...rows.flatMap(tablesOf)];
}

function tablesOf({ row, runs }: FairRow): readonly string[] {
  const groups = new Map<string, FairFigures[]>();
  for (const run of runs) {
    const title = `${rowTitles[row]}, ${ordinaryOf(run.concurrent)} of ${run.concurrent} at once, ${run.quickServers + 1} tool servers; beside them`;
    groups.set(title, [...(groups.get(title) ?? []), run]);
  }
  return [...groups].map(([title, same]) => table([title, ...head], same.map(cells)));
}

function cells({ guests, times, ofAlone, guestMs }: FairFigures): string[] {
  const { turnsPerSecond, stopP50, stopP95, stopMax, goP50, goP95, goMax } = times;
  const against = [ofAlone.stopP50, ofAlone.stopP95, ofAlone.goP50, ofAlone.goP95];
  return [
    guests.length === 0 ? 'nobody' : guests.join(', '),
    whole(turnsPerSecond),
    ...[stopP50, stopP95, stopMax, goP50, goP95, goMax].map(ms),
    `${(goP50 / stopP50).toFixed(1)} ×`,
    ...against.map((ratio) => (guests.length === 0 ? '' : `${ratio.toFixed(2)} ×`)),
    guests.map((guest) => whole(guestMs[guest] ?? Number.NaN)).join(', '),
  ];
}
