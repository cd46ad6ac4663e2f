import { create, toBinary, views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/adapters/sqlite/database.ts';
import { HotConversations } from '../src/adapters/sqlite-views/hot-conversations.ts';
import { resetViews } from '../src/adapters/sqlite-views/schema.ts';
import { viewTables } from '../src/adapters/sqlite-views/view-tables.ts';
import { SqliteViews } from '../src/adapters/sqlite-views/views.ts';
import { approvalsLookedAtMax, countedMax } from '../src/bounds.ts';

const { PENDING } = views.ApprovalStatus;
const waiting = 2 * approvalsLookedAtMax + 5;

test('a page looks at a bounded number of approvals, says where to go on, and walks along an index', () => {
  const database = openDatabase(':memory:', 'write');
  resetViews(database);
  const plans: string[] = [];
  const explain = (sql: string) =>
    database
      .all(`EXPLAIN QUERY PLAN ${sql}`, (row) => String(row[3]))(...Array.from(sql.matchAll(/\?/g), () => 0))
      .join();
  const counts: string[] = [];
  const tables = viewTables({
    ...database,
    all: (sql, map) => {
      if (sql.includes('approvals AS p')) plans.push(explain(sql));
      return database.all(sql, map);
    },
    one: (sql, map) => {
      if (/count.*approval/s.test(sql)) counts.push(explain(sql));
      return database.one(sql, map);
    },
  });
  expect(plans).toHaveLength(12);
  // The keys that a walk has taken are in memory.
  for (const plan of plans) expect(plan).not.toMatch(/SCAN (?!asked VIRTUAL TABLE)|TEMP B-TREE/);
  // What is counted is found in indexes of what waits: however many are settled, none of them is looked at.
  expect(counts).toHaveLength(9);
  for (const plan of counts)
    expect(plan).toMatch(
      /SEARCH [pa] USING (COVERING INDEX|PRIMARY KEY|INDEX approvals_assigned)|SCAN p USING COVERING INDEX approvals_asked_of_all/,
    );
  expect(plans.join()).toContain('SEARCH p USING INDEX approvals_waiting_by_tool (tool=? AND key>?)');

  const bytes = Buffer.from(toBinary(views.ApprovalSchema, create(views.ApprovalSchema, { id: 'a' }))).toString('hex');
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${waiting})
    INSERT INTO approvals (key, id, conversation, status, principal, tool, server, node, requested_at, asked_of_all, bytes)
      SELECT i, 'a' || i, i, ${PENDING}, 'user:ana', iif(i = ${waiting}, 'rare', 'often'), 's', iif(i = ${waiting}, 'rare', ''), i,
        i % 2, x'${bytes}' FROM n;
    INSERT INTO approval_askings (asked, key, from_at, not_by) SELECT 'anybody', key, 0, '[]' FROM approvals WHERE asked_of_all = 0`);
  const noConversation = () => {
    throw new Error('a list of all approvals reads no conversation');
  };
  const list = new SqliteViews(tables, new HotConversations(tables, noConversation));
  const all = { status: PENDING, conversationId: undefined };
  const askedOf = { words: ['anybody', 'role:ADMIN'], principal: 'user:bob', at: 0, withoutVoted: false };
  const principal = 'user:ana';
  for (const filter of [all, { ...all, principal }, { ...all, askedOf }]) {
    const sizes: number[] = [];
    let after: number | undefined;
    do {
      const page = list.approvals({ ...filter, narrow: { node: 'rare' } }, { limit: 10, after });
      sizes.push(page.rows.length);
      after = page.next;
    } while (after !== undefined);
    expect(sizes).toEqual([0, 0, 1]);
  }
  const count = { askedOf, principal, at: 0, assignee: 'user:bob' };
  expect(list.countApprovals(count)).toEqual({ waiting: countedMax, asked: countedMax, overdue: 0, assigned: 0 });
  // The tool of what waits has an index of its own: one page has it.
  const found = list.approvals({ ...all, narrow: { tool: 'rare' } }, { limit: 10, after: undefined });
  expect([found.rows.length, found.next]).toEqual([1, undefined]);
  database.close();
});

test('for somebody in hundreds of groups a page reads no more than it shows, and finds each approval once and in order', () => {
  const [groups, all] = [400, 8_000];
  const database = openDatabase(':memory:', 'write');
  resetViews(database);
  const taken = { statements: 0, rows: 0 };
  const tables = viewTables({
    ...database,
    all: (sql, map) => {
      const read = database.all(sql, map);
      return (...parameters) => {
        const rows = read(...parameters);
        taken.statements += 1;
        taken.rows += rows.length;
        return rows;
      };
    },
  });
  // Every third is asked of two of the groups (of one of them later, for some), every seventh not of whoever looks, every eighth demands nothing, and the last thousand are of one group.
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${all})
    INSERT INTO approvals (key, id, conversation, status, principal, tool, server, node, requested_at, asked_of_all, bytes)
      SELECT i, 'a' || i, i, ${PENDING}, 'user:ana', 't', 's', '', i, i % 8 = 0, CAST(x'0a' || char(length('a' || i)) || 'a' || i AS BLOB) FROM n;
    INSERT INTO approval_askings (asked, key, from_at, not_by)
      SELECT 'group:' || iif(key > ${all - 1_000}, 7, key * 37 % ${groups}), key, 0, iif(key % 7 = 0, '["user:bob"]', '[]') FROM approvals
        WHERE asked_of_all = 0;
    INSERT INTO approval_askings (asked, key, from_at, not_by)
      SELECT 'group:' || (key % 5) || 'x', key, iif(key % 9 = 0, 99, 0), iif(key % 7 = 0, '["user:bob"]', '[]') FROM approvals
        WHERE asked_of_all = 0 AND key % 3 = 0;`);
  const list = new SqliteViews(
    tables,
    new HotConversations(tables, () => {
      throw new Error('a list of all approvals reads no conversation');
    }),
  );
  const names = Array.from({ length: groups }, (_, index) => [`group:${index}`, `group:${index}x`]).flat();
  const askedOf = { words: ['anybody', ...names], principal: 'user:bob', at: 0, withoutVoted: true };
  const filter = { status: PENDING, conversationId: undefined, askedOf };
  list.approvals(filter, { limit: 10, after: undefined });
  expect(taken.statements).toBeLessThan(120);
  expect(taken.rows).toBeLessThan(1_000);

  const found: string[] = [];
  let after: number | undefined;
  do {
    const page = list.approvals(filter, { limit: 333, after });
    found.push(...page.rows.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  const expected = Array.from({ length: all }, (_, index) => index + 1).filter((key) => key % 8 === 0 || key % 7 !== 0);
  expect(found).toEqual(expected.map((key) => `a${key}`));
  database.close();
});
