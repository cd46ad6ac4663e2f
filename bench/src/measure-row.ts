import { measureTurns, type TurnSizes } from './measure-turns.ts';
import type { RowName } from './rows.ts';
import type { RowPass } from './rows-over.ts';
import { type RowOptions, startRow } from './start-row.ts';

/** Measures the row once, on a fresh start. */
export async function measureRow(
  row: RowName,
  modelAddress: string,
  options: RowOptions,
  sizes: TurnSizes,
): Promise<RowPass> {
  const subject = await startRow(row, modelAddress, options);
  try {
    return { row, ...(await measureTurns(subject, sizes)) };
  } finally {
    await subject.remove();
  }
}
