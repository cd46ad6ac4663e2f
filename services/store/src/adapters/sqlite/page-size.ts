import { integer, type SqlRow } from './database.ts';

/** A row's key, and the bytes that it would add to a page. */
export type RowSize = { readonly key: number; readonly bytes: number };

/** How {@link RowSize} is read from a query for key and length. */
export const toSize = (row: SqlRow): RowSize => ({ key: integer(row, 0), bytes: integer(row, 1) });

/** Key of the last row that still fits, so that large rows are not read to be dropped; undefined if there is no row. */
export function lastThatFits(sizes: readonly RowSize[], bytesMax: number): number | undefined {
  let last = sizes[0]?.key;
  let total = 0;
  for (const size of sizes) {
    total += size.bytes;
    if (total > bytesMax) break;
    last = size.key;
  }
  return last;
}
