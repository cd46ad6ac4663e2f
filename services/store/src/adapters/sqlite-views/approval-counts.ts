import { unnamedBy, votedWord } from '@stopgo/core';
import { countedMax } from '../../bounds.ts';
import type { AskedOf } from '../../views.ts';
import { integer, type SqlDatabase } from '../sqlite/database.ts';

/** The waiting approvals, as the indexes have them. */
const pending = 1;

/**
 * Counts waiting approvals along indexes that have nothing else: each up to `countedMax`, however many are settled. Of a principal, by its
 * key, which is not the anonymous one; undefined: of all.
 */
export function approvalCounts(database: SqlDatabase) {
  const counted = (some: string) =>
    database.one(`SELECT count(*) FROM (${some} LIMIT ${countedMax})`, (row) => integer(row, 0));
  const waiting = counted(`SELECT 1 FROM approvals AS p INDEXED BY approvals_by_status WHERE p.status = ${pending}`);
  const waitingOf = counted(
    `SELECT 1 FROM approvals AS p INDEXED BY approvals_of_principal_by_status
       WHERE p.principal = ? AND p.principal <> 'anonymous' AND p.status = ${pending}`,
  );
  const isOverdue = `p.status = ${pending} AND p.overdue_from IS NOT NULL AND p.overdue_from <= ?`;
  const overdue = counted(`SELECT 1 FROM approvals AS p INDEXED BY approvals_overdue WHERE ${isOverdue}`);
  const overdueOf = counted(
    `SELECT 1 FROM approvals AS p INDEXED BY approvals_overdue_of_principal WHERE p.principal = ? AND ${isOverdue}`,
  );
  // What has several of the words is counted once.
  const asked = counted(
    `SELECT DISTINCT a.key FROM json_each(?) AS word CROSS JOIN approval_askings AS a ON a.asked = word.value
       WHERE a.from_at <= ? AND instr(a.not_by, ?) = 0
         AND NOT EXISTS (SELECT 1 FROM approval_askings AS v WHERE v.asked = ? AND v.key = a.key)`,
  );
  const askedOfAll = counted(
    `SELECT 1 FROM approvals AS p INDEXED BY approvals_asked_of_all WHERE p.status = ${pending} AND p.asked_of_all = 1`,
  );
  const askedOfOwner = counted(
    `SELECT 1 FROM approvals AS p INDEXED BY approvals_asked_of_owner
       WHERE p.status = ${pending} AND p.asked_of_all = 1 AND p.principal = ?`,
  );
  const isAssigned = `p.status = ${pending} AND p.assignee <> '' AND p.assignee = ?`;
  const assigned = counted(`SELECT 1 FROM approvals AS p INDEXED BY approvals_assigned WHERE ${isAssigned}`);
  const assignedAndAsked = counted(
    `SELECT 1 FROM approvals AS p INDEXED BY approvals_assigned WHERE ${isAssigned} AND (
       p.asked_of_all = 1 AND (? OR p.principal = ?)
       OR EXISTS (SELECT 1 FROM approval_askings AS a INDEXED BY approval_askings_by_key WHERE a.key = p.key
         AND a.asked IN (SELECT value FROM json_each(?)) AND a.from_at <= ? AND instr(a.not_by, ?) = 0))`,
  );
  const unnamed = (words: readonly string[]): number => {
    let most = 0;
    for (const by of words.map(unnamedBy))
      if (by !== undefined)
        most = Math.max(most, (by.owner === undefined ? askedOfAll() : askedOfOwner(by.owner)) ?? 0);
    return most;
  };

  return {
    countWaiting: (principal: string | undefined): number =>
      (principal === undefined ? waiting() : waitingOf(principal)) ?? 0,
    countOverdue: (principal: string | undefined, at: number): number =>
      (principal === undefined ? overdue(at) : overdueOf(principal, at)) ?? 0,
    countAssigned: (assignee: string, askedOf: AskedOf | undefined): number => {
      if (askedOf === undefined) return assigned(assignee) ?? 0;
      const { words, principal, at } = askedOf;
      const ways = words.map(unnamedBy).filter((by) => by !== undefined);
      const isAnybody = ways.some(({ owner }) => owner === undefined) ? 1 : 0;
      const owner = ways.find((by) => by.owner !== undefined)?.owner ?? '';
      return assignedAndAsked(assignee, isAnybody, owner, JSON.stringify(words), at, JSON.stringify(principal)) ?? 0;
    },
    countAsked: ({ words, principal, at, withoutVoted }: AskedOf): number => {
      const voted = withoutVoted ? votedWord(principal) : '';
      const named = asked(JSON.stringify(words), at, JSON.stringify(principal), voted) ?? 0;
      return Math.min(countedMax, named + unnamed(words));
    },
  };
}
