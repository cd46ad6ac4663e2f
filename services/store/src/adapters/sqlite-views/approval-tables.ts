import { bytes, integer, type SqlDatabase, text } from '../sqlite/database.ts';
import { approvalCounts } from './approval-counts.ts';
import { approvalLists } from './approval-lists.ts';

/** The statements on the tables of approvals. */
export function approvalTables(database: SqlDatabase) {
  return {
    lastApprovalKey: database.one('SELECT ifnull(max(key), 0) FROM approvals', (row) => integer(row, 0)),
    approval: database.one('SELECT key, conversation, bytes FROM approvals WHERE id = ?', (row) => ({
      key: integer(row, 0),
      conversation: integer(row, 1),
      bytes: bytes(row, 2),
    })),
    placeOfApproval: database.one('SELECT principal, agent FROM approvals WHERE id = ?', (row) => ({
      owner: text(row, 0),
      agent: text(row, 1),
    })),
    writeApproval: database.run(
      `INSERT INTO approvals (key, id, conversation, status, asked_in_run, principal, tool, server, node, requested_at,
         asked_of_all, overdue_from, assignee, agent, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
         status = excluded.status, assignee = excluded.assignee, asked_in_run = excluded.asked_in_run, bytes = excluded.bytes`,
    ),
    insertAsking: database.run('INSERT INTO approval_askings (asked, key, from_at, not_by) VALUES (?, ?, ?, ?)'),
    deleteAskings: database.run('DELETE FROM approval_askings WHERE key = ?'),
    deleteAskingsOf: database.run(
      'DELETE FROM approval_askings WHERE key IN (SELECT key FROM approvals WHERE conversation = ?)',
    ),
    storedAskings: database.all(
      `SELECT asked, from_at, not_by FROM approval_askings
         WHERE key = (SELECT key FROM approvals WHERE id = ?) ORDER BY asked`,
      (row) => ({ asked: text(row, 0), from: integer(row, 1), notBy: JSON.parse(text(row, 2)) as string[] }),
    ),
    approvals: approvalLists(database),
    ...approvalCounts(database),
    deleteApprovals: database.run('DELETE FROM approvals WHERE conversation = ?'),
    storedApprovals: database.all(
      `SELECT id, status, asked_in_run, bytes, principal, tool, server, node, requested_at, asked_of_all,
         overdue_from, assignee, agent
         FROM approvals WHERE conversation = ? ORDER BY key`,
      (row) => ({
        key: text(row, 0),
        status: integer(row, 1),
        askedInRun: row[2] === null ? '' : text(row, 2),
        bytes: bytes(row, 3),
        principal: text(row, 4),
        tool: text(row, 5),
        server: text(row, 6),
        node: text(row, 7),
        requestedAt: integer(row, 8),
        isAskedOfAll: integer(row, 9) === 1,
        overdueFrom: row[10] === null ? undefined : integer(row, 10),
        assignee: text(row, 11),
        agent: text(row, 12),
      }),
    ),
  };
}
