import { integer, type SqlDatabase, type SqlRow, text } from '../sqlite/database.ts';

/** A word in the index, with the message that it stands in and its place there, counted in words. */
export type Occurrence = { readonly word: string; readonly message: number; readonly place: number };

/** Reads an index of words. Its tables are temporary: nothing is written into the file, which may be open to read only. */
export function wordsOf(database: SqlDatabase, index: string) {
  const toOccurrence = (row: SqlRow): Occurrence => ({
    word: text(row, 0),
    message: integer(row, 1),
    place: integer(row, 2),
  });
  const columns = `SELECT term, doc, offset FROM temp.${index}_occurrences`;
  return {
    /** To be called before the others. */
    prepare(): void {
      for (const [name, kind] of [
        ['occurrences', 'instance'],
        ['each', 'row'],
      ])
        database.exec(
          `CREATE VIRTUAL TABLE IF NOT EXISTS temp.${index}_${name} USING fts5vocab (main, ${index}, ${kind})`,
        );
    },
    /** The words after one, in order, and how often each stands in the index. */
    after: database.all(`SELECT term, cnt FROM temp.${index}_each WHERE term > ? ORDER BY term LIMIT ?`, (row) => ({
      word: text(row, 0),
      count: integer(row, 1),
    })),
    /**
     * All occurrences of the words from one to another; some of them if they are many. By offset: this table is sought by word only, so
     * a condition on the message would step over the same rows.
     */
    occurrences: database.all(`${columns} WHERE term >= ? AND term <= ? LIMIT ? OFFSET ?`, toOccurrence),
  };
}
