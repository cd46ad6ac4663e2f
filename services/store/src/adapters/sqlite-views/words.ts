import { integer, type SqlDatabase, type SqlRow, text } from '../sqlite/database.ts';

/** A word in the index, with the message that it stands in and its place there, counted in words. */
export type Occurrence = { readonly word: string; readonly message: number; readonly place: number };

/** Reads an index of words. Its table is temporary: nothing is written into the file, which may be open to read only. */
export function wordsOf(database: SqlDatabase, index: string) {
  const table = `temp.${index}_occurrences`;
  return {
    /** To be called before the other. */
    prepare: (): void =>
      database.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS ${table} USING fts5vocab (main, ${index}, instance)`),
    /**
     * All occurrences of all words, by one query: the table can be sought by word only, so that paging through the occurrences of a
     * frequent word would step over those of the pages before, each time.
     */
    occurrences: database.each(
      `SELECT term, doc, offset FROM ${table}`,
      (row: SqlRow): Occurrence => ({ word: text(row, 0), message: integer(row, 1), place: integer(row, 2) }),
    ),
  };
}
