import type { ProcessFigures, TurnFigures } from './measure-turns.ts';
import { median, medians } from './quantiles.ts';
import type { RowName } from './rows.ts';

/** One row of one pass. */
export type RowPass = {
  readonly row: RowName;
  readonly turns: readonly TurnFigures[];
  readonly process: ProcessFigures;
};

/** Turns of a row with so many conversations at once, over all passes. */
export type RowTurns = {
  /** The median of each figure. */
  readonly figures: TurnFigures;
  /** Turns per second in the slowest and in the fastest pass. */
  readonly slowest: number;
  readonly fastest: number;
  /** Against `bare` of the same pass, the median: part of its turns per second, and times its CPU. Absent without `bare`. */
  readonly ofBare?: { readonly turnsPerSecond: number; readonly treeCpu: number };
};

/** A row over all passes. */
export type RowFigures = {
  readonly row: RowName;
  readonly turns: readonly RowTurns[];
  readonly process: ProcessFigures;
};

/** The list, begun at another place in each pass: what one row leaves behind on the machine does not always meet the same one. */
export function rotated<T>(list: readonly T[], pass: number): readonly T[] {
  const first = pass % Math.max(1, list.length);
  return [...list.slice(first), ...list.slice(0, first)];
}

/** The passes of each row as one; in the order of `rows`. Ratios are made within a pass: a load on the machine meets both. */
export function rowsOver(passes: readonly (readonly RowPass[])[], rows: readonly RowName[]): readonly RowFigures[] {
  return rows.map((row) => {
    const own = passes.map((pass) => passOf(pass, row));
    const turns = own[0]?.turns.map((_, index) => turnsOver(passes, row, index)) ?? [];
    return { row, turns, process: medians(own.map(({ process }) => process)) };
  });
}

function turnsOver(passes: readonly (readonly RowPass[])[], row: RowName, index: number): RowTurns {
  const figures = passes.flatMap((pass) => passOf(pass, row).turns[index] ?? []);
  const rates = figures.map(({ turnsPerSecond }) => turnsPerSecond);
  const bares = passes.flatMap((pass) => pass.find((one) => one.row === 'bare')?.turns[index] ?? []);
  const against = (of: 'turnsPerSecond' | 'treeCpuMsPerTurn'): number =>
    median(figures.map((one, pass) => one[of] / (bares[pass]?.[of] ?? Number.NaN)));
  return {
    figures: medians(figures),
    slowest: Math.min(...rates),
    fastest: Math.max(...rates),
    ...(bares.length === 0
      ? {}
      : { ofBare: { turnsPerSecond: against('turnsPerSecond'), treeCpu: against('treeCpuMsPerTurn') } }),
  };
}

function passOf(pass: readonly RowPass[], row: RowName): RowPass {
  const found = pass.find((one) => one.row === row);
  if (found === undefined) throw new Error(`a pass without the row "${row}"`);
  return found;
}
