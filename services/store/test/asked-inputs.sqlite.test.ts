import { expect, test } from 'vitest';
import { openDatabase } from '../src/adapters/sqlite/database.ts';
import { resetViews } from '../src/adapters/sqlite-views/schema.ts';
import { viewTables } from '../src/adapters/sqlite-views/view-tables.ts';
import { countedMax } from '../src/bounds.ts';

test('what people are asked is found and counted along an index that has nothing else, up to a bound', () => {
  const database = openDatabase(':memory:', 'write');
  resetViews(database);
  const statements: string[] = [];
  const spied = {
    ...database,
    all: ((sql, map) => {
      statements.push(sql);
      return database.all(sql, map);
    }) as typeof database.all,
    one: ((sql, map) => {
      statements.push(sql);
      return database.one(sql, map);
    }) as typeof database.one,
  };
  const tables = viewTables(spied);
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${countedMax + 5})
    INSERT INTO conversations
      (key, id, revision, status, context_id, principal, standing, changed_at, asks, asks_since, head, snapshot)
      SELECT i, 'c' || i, 1, 1, 'ours', iif(i <= 3, 'user:ana', 'anonymous'), 1, i, iif(i % 2, 2, 0), iif(i % 2, i, NULL), x'', x''
        FROM n`);
  expect(tables.countAskedInputs(undefined)).toBe(countedMax);
  expect(tables.countAskedInputs('user:ana')).toBe(4);
  // Who nobody knows is nobody's principal.
  expect(tables.countAskedInputs('anonymous')).toBe(0);
  expect(tables.asking(undefined, { since: 3, key: 3 }, 2).map(({ id }) => id)).toEqual(['c5', 'c7']);
  expect(tables.asking('user:ana', undefined, 9).map(({ id }) => id)).toEqual(['c1', 'c3']);
  const plans = statements
    .filter((sql) => sql.includes('conversations_asking'))
    .map((sql) => {
      const blanks = Array.from(sql.matchAll(/\?/g), () => 0);
      return database
        .all(`EXPLAIN QUERY PLAN ${sql}`, (row) => String(row[3]))(...blanks)
        .join();
    });
  expect(plans).toHaveLength(4);
  for (const plan of plans) expect(plan).not.toMatch(/TEMP B-TREE|SCAN conversations(?! USING)/);
  expect(plans.filter((plan) => plan.includes('COVERING INDEX'))).toHaveLength(2);
  database.close();
});
