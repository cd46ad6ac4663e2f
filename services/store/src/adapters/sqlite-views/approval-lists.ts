import { matchesGlob, unnamedBy, votedWord } from '@stopgo/core';
import type { ApprovalNarrowing, AskedOf } from '../../views.ts';
import { bytes, integer, type SqlDatabase, type SqlRow, text } from '../sqlite/database.ts';
import { type AskedKey, AskedWalk, type LaneStart } from './asked-walk.ts';

/** A row of a list; without bytes it was looked at, and is not what is asked for. */
export type ApprovalAt = { readonly key: number; readonly bytes: Uint8Array | undefined };

/** The same, with the name of its tool. */
type OfTool = ApprovalAt & { readonly tool: string };

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
  const toKey = (row: SqlRow): AskedKey => ({ key: integer(row, 0), isAsked: integer(row, 1) === 1 });
  const firstOfWords = database.all(
    `SELECT word.value, (SELECT min(a.key) FROM approval_askings AS a WHERE a.asked = word.value AND a.key > ?) AS first
       FROM json_each(?) AS word WHERE first IS NOT NULL`,
    (row) => ({ word: text(row, 0), first: integer(row, 1) }),
  );
  const ofWord = database.all(
    `SELECT a.key, a.from_at <= ? AND instr(a.not_by, ?) = 0 FROM approval_askings AS a
       WHERE a.asked = ? AND a.key > ? ORDER BY a.key LIMIT ?`,
    toKey,
  );
  const unnamed = (condition: string, index: string) =>
    database.all(
      `SELECT p.key, 1 FROM approvals AS p INDEXED BY ${index}
         WHERE p.status = ${pending} AND p.asked_of_all = 1 ${condition} AND p.key > ? ORDER BY p.key LIMIT ?`,
      toKey,
    );
  const askedOfAll = unnamed('', 'approvals_asked_of_all');
  const askedOfOwner = unnamed('AND p.principal = ?', 'approvals_asked_of_owner');
  const fitting = database.all(
    `SELECT p.key, p.tool FROM json_each(?) AS asked CROSS JOIN approvals AS p ON p.key = asked.value
       WHERE ${fits} AND NOT EXISTS (SELECT 1 FROM approval_askings AS v WHERE v.asked = ? AND v.key = p.key)`,
    (row) => ({ key: integer(row, 0), tool: text(row, 1) }),
  );
  /** What demands nothing, where the word means that. */
  const ofNobody = (word: string, after: number): LaneStart[] => {
    const by = unnamedBy(word);
    if (by === undefined) return [];
    const { owner } = by;
    const read = owner === undefined ? askedOfAll : (from: number, limit: number) => askedOfOwner(owner, from, limit);
    return read(after, 1).map(({ key }) => ({ read, first: key }));
  };
  const walkOf = ({ words, principal, at }: AskedOf, after: number): AskedWalk => {
    const by = JSON.stringify(principal);
    const named = firstOfWords(after, JSON.stringify(words)).map(({ word, first }) => ({
      ...{ read: (from: number, limit: number) => ofWord(at, by, word, from, limit), first },
    }));
    return new AskedWalk([...named, ...words.flatMap((word) => ofNobody(word, after))]);
  };
  const bytesAt = database.one('SELECT bytes FROM approvals WHERE key = ?', (row) => bytes(row, 0));

  const list = (lead: ApprovalLead, narrowed: Fitting, after: number, limit: number): readonly OfTool[] => {
    const { conversation, status, principal } = lead;
    const [tool, , , , assignee] = narrowed;
    if (conversation !== undefined) {
      if (lead.askedInRun !== undefined) return askedInRun(...narrowed, conversation, lead.askedInRun, after, limit);
      return status === undefined
        ? ofConversation(...narrowed, conversation, after, limit)
        : ofBoth(...narrowed, conversation, status, after, limit);
    }
    if (principal !== undefined)
      return status === undefined
        ? ofOne(...narrowed, principal, after, limit)
        : ofOneOfStatus(...narrowed, principal, status, after, limit);
    if (status === pending && assignee) return ofAssignee(...narrowed, assignee, after, limit);
    if (status === pending && tool !== null) return waitingOfTool(...narrowed, tool, after, limit);
    return status === undefined ? all(...narrowed, after, limit) : ofStatus(...narrowed, status, after, limit);
  };
  /** Reads on where the walk is: it is the same page. */
  const listAsked = (askedOf: AskedOf, narrowed: Fitting): ((after: number, limit: number) => readonly OfTool[]) => {
    const voted = askedOf.withoutVoted ? votedWord(askedOf.principal) : '';
    let walk: AskedWalk | undefined;
    return (after, limit) => {
      walk ??= walkOf(askedOf, after);
      const keys = walk.take(limit);
      const asked = keys.filter(({ isAsked }) => isAsked).map(({ key }) => key);
      const found = new Map(fitting(JSON.stringify(asked), ...narrowed, voted).map(({ key, tool }) => [key, tool]));
      return keys.map(({ key }) => {
        const tool = found.get(key);
        return { key, tool: tool ?? '', bytes: tool === undefined ? undefined : bytesAt(key) };
      });
    };
  };
  /** Reads one page: each time what comes after what was read before. */
  return (lead: ApprovalLead, narrow: ApprovalNarrowing): ((after: number, limit: number) => readonly ApprovalAt[]) => {
    const { tool = null, server = null, node = null, agent = null, assignee = null, toolPattern } = narrow;
    const { requestedBefore = Number.MAX_SAFE_INTEGER, overdueAt = neverOverdue } = narrow;
    const narrowed = [tool, server, node, agent, assignee, requestedBefore, overdueAt] as const;
    const { askedOf, conversation } = lead;
    const read =
      askedOf === undefined || conversation !== undefined
        ? (after: number, limit: number) => list(lead, narrowed, after, limit)
        : listAsked(askedOf, narrowed);
    if (toolPattern === undefined) return read;
    // By our own pattern: that of SQLite takes ever longer with each star.
    return (after, limit) =>
      read(after, limit).map(({ tool: name, ...one }) =>
        matchesGlob(toolPattern, name) ? one : { ...one, bytes: undefined },
      );
  };
}
