import { views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/adapters/sqlite/database.ts';
import { resetViews } from '../src/adapters/sqlite-views/schema.ts';
import { viewTables } from '../src/adapters/sqlite-views/view-tables.ts';
import { countedMax } from '../src/bounds.ts';

const context = { id: 'ours', principal: 'anonymous' };
const { Standing } = views;

test('a total is counted up to a bound, and in an index, whatever the filter', () => {
  const database = openDatabase(':memory:', 'write');
  resetViews(database);
  const plans: string[] = [];
  const tables = viewTables({
    ...database,
    one: (sql, map) => {
      const isCount = sql.includes('count(*)') && sql.includes('conversations');
      if (isCount)
        plans.push(
          database
            .all(`EXPLAIN QUERY PLAN ${sql}`, (row) => String(row[3]))(...blanks(sql))
            .join(),
        );
      return database.one(sql, map);
    },
  });
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${countedMax + 5})
    INSERT INTO conversations (key, id, revision, status, context_id, principal, standing, changed_at, head, snapshot)
      SELECT i, 'c' || i, 1, 1, 'ours', 'anonymous', iif(i <= 3, ${Standing.WORKING}, ${Standing.COMPLETED}), i, x'', x'' FROM n`);
  const count = (more: Partial<Parameters<typeof tables.countByChange>[0]> = {}) =>
    tables.countByChange({ context: undefined, standing: undefined, changedSince: 0, ...more });
  expect(count()).toBe(countedMax);
  expect(count({ context })).toBe(countedMax);
  expect(count({ changedSince: 7 })).toBe(countedMax - 1);
  expect(count({ standing: Standing.WORKING })).toBe(3);
  expect(count({ context, standing: Standing.WORKING, changedSince: 2 })).toBe(2);
  expect(plans).toHaveLength(4);
  for (const plan of plans) expect(plan).toContain('SEARCH conversations USING COVERING INDEX');
  expect(plans.join()).toContain('context_id=? AND principal=? AND standing=? AND changed_at>?');
  database.close();
});

/** A value for each place in a statement that only shall be planned. */
function blanks(sql: string): number[] {
  return Array.from(sql.matchAll(/\?/g), () => 0);
}
