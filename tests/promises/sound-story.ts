import { type Actor, type Fact, fact, type RecordedFact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { Witnessed } from './rules.ts';

// One conversation as it should be: a gated call that was approved, cut short, in doubt, and run again. Tests of checkers
// forge every part of it, one after the other.

/** The conversation. */
export const id = 'c';
/** What every fact about its one call names. */
export const ids = { runId: 'r', stepId: 'root', callId: 'root#1.0' };
const args = '{"name":"x","value":1}';
const { ApprovalKind, Decision, Disposition } = facts;

/** A fact, and when it was recorded, in milliseconds since 1970. */
export type Timed = readonly [at: number, fact: Fact];

export const story: readonly Timed[] = [
  [100, fact('userMessageReceived', { runId: 'r', text: 'add x', idempotency: { key: 'key-message' } })],
  [100, fact('runStarted', { runId: 'r' })],
  [
    110,
    fact('modelResponded', {
      runId: 'r',
      stepId: 'root',
      turn: 1,
      calls: [
        {
          callId: ids.callId,
          tool: 'resources_add',
          argumentsJson: '{ "value": 1, "name": "x" }',
          disposition: Disposition.GATED,
          digest: 'd',
        },
      ],
    }),
  ],
  [110, fact('approvalRequested', { ...ids, approvalId: 'a', kind: ApprovalKind.TOOL, digest: 'd' })],
  [
    120,
    fact('approvalResolved', {
      ...ids,
      approvalId: 'a',
      decision: Decision.APPROVED,
      idempotency: { key: 'key-approve' },
    }),
  ],
  [130, fact('toolCallStarted', { ...ids, attempt: 1, approvalId: 'a' })],
  [200, fact('toolCallInDoubt', { ...ids, attempt: 1 })],
  [200, fact('approvalRequested', { ...ids, approvalId: 'b', kind: ApprovalKind.IN_DOUBT, digest: 'd' })],
  [210, fact('approvalResolved', { ...ids, approvalId: 'b', decision: Decision.RUN_AGAIN })],
  [220, fact('toolCallStarted', { ...ids, attempt: 2, approvalId: 'a' })],
  [240, fact('toolCallFinished', { ...ids, attempt: 2, content: 'added' })],
  [250, fact('modelResponded', { runId: 'r', stepId: 'root', turn: 2, text: 'done' })],
  [250, fact('runCompleted', { runId: 'r' })],
];

/** What a tool, a client and a store would have written down of some facts. */
export function witnessed(timed: readonly Timed[]): Witnessed {
  const actor: Actor = { kind: 'system', id: 'o' };
  const frame = { stream: 'conversation-c', eventId: '', actor, causationId: '', correlationId: '' };
  const events: RecordedFact[] = timed.map(([time, one], index) => ({
    ...frame,
    revision: index + 1,
    time,
    fact: one,
  }));
  return {
    conversations: [{ id, events }],
    agents: new Map(),
    problems: [],
    toolRuns: [
      { tool: 'resources_add', argumentsJson: args, begunAt: 140 },
      { tool: 'resources_add', argumentsJson: args, begunAt: 230, endedAt: 235 },
    ],
    acknowledged: [
      { kind: 'message', conversationId: id, key: 'key-message', text: 'add x' },
      { kind: 'decision', conversationId: id, key: 'key-approve', approvalId: 'a', decision: 'approved' },
    ],
  };
}

/** Some facts of the story in place of others. */
export function told(change: (at: number, one: Fact) => readonly Timed[]): readonly Timed[] {
  return story.flatMap(([at, one]) => change(at, one));
}

/** The story without some of its facts. */
export function without(isGone: (one: Fact) => boolean): readonly Timed[] {
  return told((at, one) => (isGone(one) ? [] : [[at, one]]));
}

/** The story with some facts twice. */
export function twice(isDoubled: (one: Fact) => boolean): readonly Timed[] {
  return told((at, one) =>
    isDoubled(one)
      ? [
          [at, one],
          [at, one],
        ]
      : [[at, one]],
  );
}
