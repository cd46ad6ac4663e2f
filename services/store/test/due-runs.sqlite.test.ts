import { expect, test } from 'vitest';
import { openDatabase } from '../src/adapters/sqlite/database.ts';
import { resetViews } from '../src/adapters/sqlite-views/schema.ts';
import { viewTables } from '../src/adapters/sqlite-views/view-tables.ts';

test('runs that are due are found by their time: a sweep does not walk through all conversations', () => {
  const database = openDatabase(':memory:', 'write');
  resetViews(database);
  const plans: string[] = [];
  viewTables({
    ...database,
    all: (sql, map) => {
      if (sql.includes('due_at <= ?'))
        plans.push(
          ...database.all(`EXPLAIN QUERY PLAN ${sql}`, (row) => String(row[3]))(
            ...Array.from(sql.matchAll(/\?/g), () => 0),
          ),
        );
      return database.all(sql, map);
    },
  });
  expect(plans.filter((step) => step.startsWith('SEARCH'))).toEqual([
    'SEARCH conversations USING INDEX conversations_with_open_run (key>?)',
    'SEARCH conversations USING INDEX conversations_by_due (due_at<?)',
  ]);
  database.close();
});
