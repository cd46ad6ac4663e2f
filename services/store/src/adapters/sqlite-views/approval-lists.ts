import { matchesGlob, unnamedBy, votedWord } from '@stopgo/core';
import type { ApprovalNarrowing, AskedOf } from '../../views.ts';
import { bytes, integer, type SqlDatabase, type SqlRow, text } from '../sqlite/database.ts';

/** A row of a list; without bytes it was looked at, and is not what is asked for. */
export type ApprovalAt = { readonly key: number; readonly bytes: Uint8Array | undefined };

/** The same, with the name of its tool. */
type OfTool = ApprovalAt & { readonly tool: string };

/** A row of the list of one word. */
type AskedAt = { readonly key: number; readonly isAsked: boolean; readonly tool: string };

/** What narrows a list: tool, server, node, agent, assignee, the time before which it was asked for, and when it is to be overdue. */
type Fitting = readonly [...(string | null)[], number, number];

/** Which index a list goes along. */
export type ApprovalLead = {
  readonly conversation?: number | undefined;
  readonly askedInRun?: string | undefined;
  readonly askedOf?: AskedOf | undefined;
  readonly principal?: string | undefined;
  readonly status?: number | undefined;
};

/** The waiting approvals, as the index of their tools has them. */
const pending = 1;

/** Later than any time, and yet no later than a list asks for that is not narrowed by it. */
const neverOverdue = Number.MAX_SAFE_INTEGER;

/** Reads lists of approvals, oldest first: each along one index, and what narrows it is looked at row by row. */
export function approvalLists(database: SqlDatabase) {
  const toAt = (row: SqlRow): OfTool => ({
    key: integer(row, 0),
    bytes: row[1] === null ? undefined : bytes(row, 1),
    tool: text(row, 2),
  });
  const fits = `p.tool = ifnull(?, p.tool) AND p.server = ifnull(?, p.server) AND p.node = ifnull(?, p.node)
    AND p.agent = ifnull(?, p.agent) AND p.assignee = ifnull(?, p.assignee) AND p.requested_at < ? AND ifnull(p.overdue_from, ${neverOverdue}) <= ?`;
  const along = (condition: string, index = '') =>
    database.all(
      `SELECT p.key, CASE WHEN ${fits} THEN p.bytes END, p.tool FROM approvals AS p ${index}
         WHERE ${condition} AND p.key > ? ORDER BY p.key LIMIT ?`,
      toAt,
    );
  const ofPrincipal = "p.principal = ? AND p.principal <> 'anonymous'";
  const all = along('true');
  const ofStatus = along('p.status = ?');
  const waitingOfTool = along(`p.status = ${pending} AND p.tool = ?`, 'INDEXED BY approvals_waiting_by_tool');
  const ofAssignee = along(
    `p.status = ${pending} AND p.assignee <> '' AND p.assignee = ?`,
    'INDEXED BY approvals_assigned',
  );
  const ofOne = along(ofPrincipal);
  const ofOneOfStatus = along(`${ofPrincipal} AND p.status = ?`);
  const ofConversation = along('p.conversation = ?');
  const ofBoth = along('p.conversation = ? AND p.status = ?');
  const askedInRun = along('p.conversation = ? AND p.asked_in_run = ?');
  const toAsked = (row: SqlRow): AskedAt => ({
    key: integer(row, 0),
    isAsked: integer(row, 1) === 1,
    tool: text(row, 2),
  });
  const askedOf = database.all(
    `SELECT p.key, ${fits} AND a.from_at <= ? AND instr(a.not_by, ?) = 0
         AND NOT EXISTS (SELECT 1 FROM approval_askings AS v WHERE v.asked = ? AND v.key = a.key), p.tool
       FROM approval_askings AS a CROSS JOIN approvals AS p ON p.key = a.key
       WHERE a.asked = ? AND a.key > ? ORDER BY a.key LIMIT ?`,
    toAsked,
  );
  const unnamed = (condition: string, index: string) =>
    database.all(
      `SELECT p.key, ${fits}, p.tool FROM approvals AS p INDEXED BY ${index}
         WHERE p.status = ${pending} AND p.asked_of_all = 1 ${condition} AND p.key > ? ORDER BY p.key LIMIT ?`,
      toAsked,
    );
  const askedOfAll = unnamed('', 'approvals_asked_of_all');
  const askedOfOwner = unnamed('AND p.principal = ?', 'approvals_asked_of_owner');
  /** What demands nothing, where the word means that. */
  const askedOfNobody = (word: string, fitting: Fitting, after: number, limit: number): readonly AskedAt[] => {
    const by = unnamedBy(word);
    if (by === undefined) return [];
    return by.owner === undefined
      ? askedOfAll(...fitting, after, limit)
      : askedOfOwner(...fitting, by.owner, after, limit);
  };
  const bytesAt = database.one('SELECT bytes FROM approvals WHERE key = ?', (row) => bytes(row, 0));

  const list = (lead: ApprovalLead, narrow: ApprovalNarrowing, after: number, limit: number): readonly OfTool[] => {
    const { conversation, status, principal } = lead;
    const before = narrow.requestedBefore ?? Number.MAX_SAFE_INTEGER;
    const overdue = narrow.overdueAt ?? neverOverdue;
    const { tool = null, server = null, node = null, agent = null, assignee = null } = narrow;
    const fitting = [tool, server, node, agent, assignee, before, overdue] as const;
    if (conversation !== undefined) {
      if (lead.askedInRun !== undefined) return askedInRun(...fitting, conversation, lead.askedInRun, after, limit);
      return status === undefined
        ? ofConversation(...fitting, conversation, after, limit)
        : ofBoth(...fitting, conversation, status, after, limit);
    }
    if (lead.askedOf !== undefined) {
      const { words, principal: by, at, withoutVoted } = lead.askedOf;
      const voted = withoutVoted ? votedWord(by) : '';
      const found = words.flatMap((word) => [
        askedOf(...fitting, at, JSON.stringify(by), voted, word, after, limit),
        askedOfNobody(word, fitting, after, limit),
      ]);
      return merged(found, limit).map(({ key, isAsked, tool: name }) => ({
        ...{ key, tool: name },
        bytes: isAsked ? bytesAt(key) : undefined,
      }));
    }
    if (principal !== undefined)
      return status === undefined
        ? ofOne(...fitting, principal, after, limit)
        : ofOneOfStatus(...fitting, principal, status, after, limit);
    if (status === pending && narrow.assignee) return ofAssignee(...fitting, narrow.assignee, after, limit);
    if (status === pending && narrow.tool !== undefined) return waitingOfTool(...fitting, narrow.tool, after, limit);
    return status === undefined ? all(...fitting, after, limit) : ofStatus(...fitting, status, after, limit);
  };
  return (lead: ApprovalLead, narrow: ApprovalNarrowing, after: number, limit: number): readonly ApprovalAt[] => {
    const { toolPattern } = narrow;
    const rows = list(lead, narrow, after, limit);
    if (toolPattern === undefined) return rows;
    // By our own pattern: that of SQLite takes ever longer with each star.
    return rows.map(({ tool, ...one }) => (matchesGlob(toolPattern, tool) ? one : { ...one, bytes: undefined }));
  };
}

/** The first of several lists in the order of their keys, each key once. */
function merged(lists: readonly (readonly AskedAt[])[], limit: number): readonly AskedAt[] {
  const found = new Map<number, AskedAt>();
  for (const one of lists.flat()) if (found.get(one.key)?.isAsked !== true) found.set(one.key, one);
  return [...found.values()].sort((a, b) => a.key - b.key).slice(0, limit);
}
