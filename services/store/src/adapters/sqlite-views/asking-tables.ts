import { countedMax } from '../../bounds.ts';
import type { AskingKey } from '../../views.ts';
import { bytes, integer, type SqlDatabase, type SqlRow, text } from '../sqlite/database.ts';

/** A conversation that asks people something. */
export type AskingRow = AskingKey & { readonly id: string; readonly head: Uint8Array };

/** Has rows written that are not yet, before any are read. */
type OfAny = <P extends readonly unknown[], T>(read: (...parameters: P) => T) => (...parameters: P) => T;

/** The statements on conversations that ask people something, those that do for longest first: each along an index that has no others. */
export function askingTables(database: SqlDatabase, ofAny: OfAny) {
  const toAsking = (row: SqlRow): AskingRow => ({
    ...{ since: integer(row, 0), key: integer(row, 1) },
    ...{ id: text(row, 2), head: bytes(row, 3) },
  });
  const ofAll = 'conversations INDEXED BY conversations_asking WHERE asks_since IS NOT NULL';
  const ofOne = `conversations INDEXED BY conversations_asking_of_principal
    WHERE asks_since IS NOT NULL AND principal = ? AND principal <> 'anonymous'`;
  const listed = (some: string) =>
    database.all(
      `SELECT asks_since, key, id, head FROM ${some} AND (asks_since, key) > (?, ?) ORDER BY asks_since, key LIMIT ?`,
      toAsking,
    );
  const counted = (some: string) =>
    database.one(`SELECT ifnull(sum(asks), 0) FROM (SELECT asks FROM ${some} LIMIT ${countedMax})`, (row) =>
      integer(row, 0),
    );
  const [listAll, listOf, countAll, countOf] = [listed(ofAll), listed(ofOne), counted(ofAll), counted(ofOne)];
  return {
    asking: ofAny((principal: string | undefined, after: AskingKey | undefined, limit: number) => {
      const { since, key } = after ?? { since: -1, key: 0 };
      return principal === undefined ? listAll(since, key, limit) : listOf(principal, since, key, limit);
    }),
    countAskedInputs: ofAny((principal: string | undefined): number => {
      const number = principal === undefined ? countAll() : countOf(principal);
      return Math.min(countedMax, number ?? 0);
    }),
  };
}
