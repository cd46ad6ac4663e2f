import { toBinary } from '@bufbuild/protobuf';
import { decodeSnapshot, encodeSnapshot, foldVersion, type RecordedFact } from '@stopgo/core';
import { views } from '@stopgo/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tierOf } from '../../../../tests/tiers.ts';
import { Rows } from '../rows.ts';
import { play } from './runner.ts';
import { agents, tapes } from './trees.ts';

const numRuns = tierOf(process.env) === 'quick' ? 25 : 60;
const logs = fc.tuple(agents, tapes).map(([agent, tape]) => play(agent, tape).log);

test('the views are the same whether projected in one batch, event by event, or from any snapshot', () => {
  fc.assert(
    fc.property(logs, fc.nat(), (log, at) => {
      const whole = viewsOf(log, [log.length]);
      expect(
        viewsOf(
          log,
          log.map((_, index) => index + 1),
        ),
      ).toEqual(whole);
      expect(viewsOf(log, [at % (log.length + 1), log.length])).toEqual(whole);
    }),
    { numRuns },
  );
});

test('the head counts the messages, numbers them without gaps, and lists exactly the approvals that are pending', () => {
  fc.assert(
    fc.property(logs, fc.nat(), (log, at) => {
      const rows = new Rows();
      rows.add(log.slice(0, 1 + (at % log.length)));
      expect(rows.messages.map((one) => one.sequence)).toEqual(rows.messages.map((_, index) => index + 1));
      expect(rows.head?.messageCount).toBe(rows.messages.length);
      const pending = [...rows.approvals.values()].filter((one) => one.status === views.ApprovalStatus.PENDING);
      expect(rows.head?.pendingApprovalIds).toEqual(pending.map((one) => one.id));
      for (const one of rows.approvals.values()) expect(one.argumentsJson, 'arguments come from the call').not.toBe('');
    }),
    { numRuns },
  );
});

/** The bytes of all rows after projecting a log cut at some events, each time from a snapshot. */
function viewsOf(log: readonly RecordedFact[], cuts: readonly number[]) {
  const rows = new Rows();
  let from = 0;
  for (const to of cuts) {
    rows.add(log.slice(from, to));
    const again = decodeSnapshot(encodeSnapshot(rows.state), foldVersion);
    if (again !== undefined) rows.state = again;
    from = to;
  }
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  return {
    state: rows.state,
    head: rows.head && hex(toBinary(views.ConversationHeadSchema, rows.head)),
    messages: rows.messages.map((one) => hex(toBinary(views.MessageSchema, one))),
    approvals: [...rows.approvals.values()].map((one) => hex(toBinary(views.ApprovalSchema, one))),
  };
}
