import { type Fact, fact, type RecordedFact } from '@stopgo/core';
import type { ConversationLog } from '@stopgo/log';
import { expect, test } from 'vitest';
import { readPastRun } from '../src/past-run.ts';

/** A log that holds these facts and can only be read. */
function logOf(all: readonly Fact[]): ConversationLog {
  const events = all.map(
    (one, index): RecordedFact => ({
      stream: 'conversation-c',
      revision: index + 1,
      eventId: `event-${index + 1}`,
      time: 0,
      actor: { kind: 'system', id: '' },
      causationId: '',
      correlationId: '',
      fact: one,
    }),
  );
  const notHere = () => Promise.reject(new Error('only read here'));
  return {
    append: notHere,
    load: notHere,
    openRuns: notHere,
    watchedRuns: notHere,
    view: notHere,
    follow: async function* () {},
    read: async function* (_, from) {
      yield* events.slice(from - 1);
    },
  };
}

const runId = 'r';
const says = (stepId: string, text: string) => fact('modelResponded', { runId, stepId, turn: 1, text });

test('the answer of a tree holds what a branch said before the other was decided upon', async () => {
  const log = logOf([
    fact('userMessageReceived', { runId, text: 'go' }),
    says('root/0', 'Left.'),
    fact('approvalResolved', { runId, approvalId: 'a', callId: 'root/1#1.0' }),
    fact('toolCallFinished', { runId, callId: 'root/1#1.0', content: 'Right.' }),
    fact('runCompleted', { runId, output: { parts: [{ answerRevision: 2 }, { resultRevision: 4 }] } }),
    fact('userMessageReceived', { runId: 'next', text: 'and now' }),
  ]);
  expect((await readPastRun(log, 'c', 3))?.response).toBe('Left.\nRight.');
  expect((await readPastRun(log, 'c', 1))?.response).toBe('Left.\nRight.');
});
